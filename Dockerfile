# Both engines in one image: the official OMNeT++ image, with the distribution's ns-3 packages and Go.
# Nothing of OMNeT++ is built or copied here; its licence is the Academic Public License.
#   make docker-figure FIG=fncc/fig10
ARG OMNETPP_IMAGE=omnetpp/omnetpp:u24.04-6.1
FROM ${OMNETPP_IMAGE}

# The image keeps OMNeT++ in root's home; set it where another image has it elsewhere.
ENV OMNETPP_ROOT=/root/omnetpp
# The distribution's Go fetches the version that go.mod names.
ENV GOTOOLCHAIN=auto
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends make git ca-certificates golang-go \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /fabriclab
COPY . .
RUN make build

ENTRYPOINT ["make"]
CMD ["figure"]
