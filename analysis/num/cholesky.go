package num

import "math"

// matrix is a symmetric, positive semidefinite matrix, its lower half by rows,
// and after factor its Cholesky factor. What a row has before its first element
// is 0 in both.
type matrix struct {
	n     int
	a     []float64 // rows of stride n
	first []int     // by row: the column of its first element
	done  []float64 // by row: 1/pivot, 0 for rows that depend on those before
}

// reset makes it n by n with zeros.
func (m *matrix) reset(n int) {
	m.n = n
	if cap(m.a) < n*n {
		m.a = make([]float64, n*n)
		m.done = make([]float64, n)
		m.first = make([]int, n)
	}
	m.a, m.done, m.first = m.a[:n*n], m.done[:n], m.first[:n]
	clear(m.a)
	for i := range m.first {
		m.first[i] = i
	}
}

// add adds to the elements of a row and a column, and of that column and row.
func (m *matrix) add(i, j int32, v float64) {
	row, column := int(max(i, j)), int(min(i, j))
	m.a[row*m.n+column] += v
	m.first[row] = min(m.first[row], column)
}

func (m *matrix) row(i int) []float64 { return m.a[i*m.n : i*m.n+i+1] }

// dependent: with a pivot below this share of its diagonal element, a row is a
// combination of earlier rows, up to rounding.
const dependent = 1e-15

// factor computes L with L L' = the matrix. A row that depends on earlier ones
// is left out: its unknown will be 0.
func (m *matrix) factor() {
	for i := range m.n {
		row, first := m.row(i), m.first[i]
		for j := first; j < i; j++ {
			if m.done[j] == 0 {
				row[j] = 0
				continue
			}
			from := max(first, m.first[j])
			row[j] = (row[j] - dot(row[from:j], m.row(j)[from:j])) * m.done[j]
		}
		pivot := row[i] - dot(row[first:i], row[first:i])
		if !(pivot > dependent*row[i]) {
			m.done[i] = 0
			continue
		}
		m.done[i] = 1 / math.Sqrt(pivot)
	}
}

// solve replaces the right side by the solution.
func (m *matrix) solve(b []float64) {
	for i := range m.n {
		first := m.first[i]
		b[i] = (b[i] - dot(m.row(i)[first:i], b[first:i])) * m.done[i]
	}
	for i := m.n - 1; i >= 0; i-- {
		b[i] *= m.done[i]
		first, x := m.first[i], b[i]
		for j, a := range m.row(i)[first:i] {
			b[first+j] -= float64(a * x)
		}
	}
}

// dot is a scalar product in four sums, which the processor adds side by side.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float64
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += float64(x[0] * y[0])
		s1 += float64(x[1] * y[1])
		s2 += float64(x[2] * y[2])
		s3 += float64(x[3] * y[3])
	}
	for ; i < len(a); i++ {
		s0 += float64(a[i] * b[i])
	}
	return (s0 + s1) + (s2 + s3)
}
