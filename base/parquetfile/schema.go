// Package parquetfile reads Parquet files, and has what all their writers here
// share.
package parquetfile

import "github.com/parquet-go/parquet-go"

// A Column is a column's name and type.
type Column struct {
	Name string
	Node parquet.Node
}

// Text is a column of strings, as they are: the compressor finds what repeats.
// Not as a dictionary, because parquet-go (v0.32.0) packs its indexes in other
// bytes on a processor with AVX2, whose test for eight equal indexes looks at
// each four of them.
func Text() parquet.Node { return parquet.Encoded(parquet.String(), &parquet.Plain) }

// Schema is a schema that keeps the order of its columns; parquet.Group sorts
// them by name.
func Schema(name string, columns []Column) *parquet.Schema {
	g := ordered{Group: parquet.Group{}, columns: columns}
	for _, c := range columns {
		g.Group[c.Name] = c.Node
	}
	return parquet.NewSchema(name, g)
}

type ordered struct {
	parquet.Group
	columns []Column
}

// Fields are the columns.
func (g ordered) Fields() []parquet.Field {
	byName := map[string]parquet.Field{}
	for _, f := range g.Group.Fields() {
		byName[f.Name()] = f
	}
	fields := make([]parquet.Field, len(g.columns))
	for i, c := range g.columns {
		fields[i] = byName[c.Name]
	}
	return fields
}
