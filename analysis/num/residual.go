package num

import (
	"fmt"
	"math"
)

// Residual is how far a solution is from the conditions of Karush, Kuhn and
// Tucker. All of it is relative, so the units of rates and utilities do not
// matter.
type Residual struct {
	// Overload is the largest excess of a link's load over its capacity, as a
	// share of the capacity.
	Overload float64
	// Rate is the largest distance of a flow from its utility: the relative
	// difference between its rate and the rate it would choose at its lowest
	// path price, or between that price and U' at its rate, whichever is
	// smaller.
	Rate float64
	// Path is the largest use of a path that is not its flow's cheapest: the
	// smaller of its share of the flow's rate, and the relative excess of its
	// price over the cheapest.
	Path float64
	// Slack is the largest violation by a link that has a price and room: the
	// smaller of the room as a share of the capacity, and the largest share of
	// the price in the price of a path over the link.
	Slack float64
}

// Worst is the largest part.
func (r Residual) Worst() float64 { return max(r.Overload, r.Rate, r.Path, r.Slack) }

func (r Residual) String() string {
	return fmt.Sprintf("overload %.1e, rate %.1e, path %.1e, slack %.1e", r.Overload, r.Rate, r.Path, r.Slack)
}

// residual is that of rates by sub-flow and prices by link.
func (n *network) residual(rates, prices []float64) Residual {
	var r Residual
	loads, sums := make([]float64, len(n.capacity)), make([]float64, n.subflows())
	n.loads(rates, loads)
	n.pathSums(prices, sums)
	for flow := range n.flows() {
		from, to := n.first[flow], n.first[flow+1]
		lowest, total := math.Inf(1), 0.0
		for sub := from; sub < to; sub++ {
			lowest = min(lowest, sums[sub])
			total += rates[sub]
		}
		r.Rate = worse(r.Rate, n.curves[flow].distance(total, lowest))
		for sub := from; sub < to; sub++ {
			r.Path = worse(r.Path, min(rates[sub]/total, (sums[sub]-lowest)/lowest))
			r.Path = worse(r.Path, -rates[sub]/total)
		}
	}
	share := make([]float64, len(n.capacity))
	for sub := range n.subflows() {
		for _, l := range n.of(int32(sub)) {
			share[l] = worse(share[l], prices[l]/sums[sub])
		}
	}
	for l, c := range n.capacity {
		r.Overload = worse(r.Overload, (loads[l]-c)/c)
		r.Slack = worse(r.Slack, min((c-loads[l])/c, share[l]))
		if prices[l] < 0 {
			r.Slack = math.Inf(1)
		}
	}
	return r
}

// distance is the relative distance between a rate and a price by the utility.
func (c *curve) distance(rate, price float64) float64 {
	if !(rate > 0 && price > 0) {
		return math.Inf(1)
	}
	wanted, _ := c.demand(price)
	worth := c.price(rate)
	return min(math.Abs(wanted-rate)/max(wanted, rate), math.Abs(worth-price)/max(worth, price))
}

// worse is the larger one; NaN is worse than any number.
func worse(a, b float64) float64 {
	if b > a || b != b {
		if b != b {
			return math.Inf(1)
		}
		return b
	}
	return a
}
