package chart

import (
	"bytes"
	"regexp"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// madeAt is when a PDF says it was made.
var madeAt = regexp.MustCompile(`/(CreationDate|ModDate) \(D:[0-9]{14}`)

// PDF draws the figure as PDF, its fonts in it.
func PDF(f Figure) ([]byte, error) {
	canvas, err := render(f, func(w, h vg.Length) pdfCanvas { return pdfCanvas{vgpdf.New(w, h)} })
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, err
	}
	return madeAt.ReplaceAll(b.Bytes(), []byte("/$1 (D:20000101000000")), nil
}

// A pdfCanvas takes any text, as the others do. vgpdf takes texts for bytes of
// code page 1252: µ would be two letters, and ≥ is none of its letters.
type pdfCanvas struct{ *vgpdf.Canvas }

// FillString implements vg.Canvas. What the code page has not is drawn as the
// outlines of its letters.
func (c pdfCanvas) FillString(face font.Face, at vg.Point, s string) {
	if page, err := charmap.Windows1252.NewEncoder().String(s); err == nil {
		c.Canvas.FillString(face, at, page)
		return
	}
	var buffer sfnt.Buffer
	em := fixed.I(int(face.Face.UnitsPerEm()))
	scale := face.Font.Size / vg.Length(em)
	for _, r := range s {
		glyph, err := face.Face.GlyphIndex(&buffer, r)
		if err != nil {
			continue // there is no font without an index
		}
		c.Fill(outline(face, &buffer, glyph, em, scale, at))
		if advance, err := face.Face.GlyphAdvance(&buffer, glyph, em, 0); err == nil {
			at.X += vg.Length(advance) * scale
		}
	}
}

// outline is a letter's, with its origin at a point. y goes up here, and down
// in the font.
func outline(face font.Face, buffer *sfnt.Buffer, glyph sfnt.GlyphIndex, em fixed.Int26_6, scale vg.Length, at vg.Point) (path vg.Path) {
	segments, err := face.Face.LoadGlyph(buffer, glyph, em, nil)
	if err != nil {
		return nil
	}
	for _, s := range segments {
		var p [3]vg.Point
		for i, a := range s.Args {
			p[i] = vg.Point{X: at.X + vg.Length(a.X)*scale, Y: at.Y - vg.Length(a.Y)*scale}
		}
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if len(path) > 0 {
				path.Close()
			}
			path.Move(p[0])
		case sfnt.SegmentOpLineTo:
			path.Line(p[0])
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(p[0], p[1])
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(p[0], p[1], p[2])
		}
	}
	if len(path) > 0 {
		path.Close()
	}
	return path
}
