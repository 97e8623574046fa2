# Ubuntu's ns-3 and compiler: docker build -t fabriclab . (make docker-figure FIG=fncc/fig10)
# OMNeT++ beside it, from the image of its project (Academic Public License): docker build --target omnetpp -t fabriclab .
ARG OMNETPP_IMAGE=ghcr.io/omnetpp/omnetpp:u24.04-6.2.0

FROM ${OMNETPP_IMAGE} AS omnetpp
# The image keeps OMNeT++ in root's home; set it where another image has it elsewhere.
ENV OMNETPP_ROOT=/root/omnetpp
RUN apt-get update && apt-get install -y --no-install-recommends make git
WORKDIR /fabriclab
COPY . .
RUN make build
ENTRYPOINT ["make"]
CMD ["figure"]

# The last stage is the one that is built where none is asked for.
FROM ubuntu:24.04 AS ns3
RUN apt-get update && apt-get install -y --no-install-recommends make git
WORKDIR /fabriclab
COPY . .
RUN make build
ENTRYPOINT ["make"]
CMD ["figure"]
