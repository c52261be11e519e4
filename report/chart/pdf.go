package chart

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
)

// PDF writes the charts under a title, one below the other, as one page of its own
// size, dated at. The font is in it. Making it takes a writable directory for
// temporary files (os.TempDir); an error that is not w's says that there is none.
func PDF(w io.Writer, at time.Time, title string, charts ...*Chart) error {
	made, err := makePDF(title, charts)
	if err != nil {
		return fmt.Errorf("making a PDF: %w", err)
	}
	date(made, at)
	_, err = w.Write(made)
	return err
}

// makePDF turns the panics of gonum's canvas, which it has for files that it
// cannot write, into errors. The commonest cause is looked for first because the
// canvas prints before it panics.
func makePDF(title string, charts []*Chart) (made []byte, err error) {
	dir, err := os.MkdirTemp("", "ratebench-pdf-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(dir)
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v", fault)
		}
	}()
	width, height := fileSize(charts)
	page := westernPage{vgpdf.New(width, height)}
	drawFile(draw.New(page), title, charts)
	var b bytes.Buffer
	_, err = page.WriteTo(&b)
	return b.Bytes(), err
}

// westernPage is gonum's page, whose text is bytes of Windows-1252.
type westernPage struct{ *vgpdf.Canvas }

func (p westernPage) FillString(f font.Face, at vg.Point, text string) {
	p.Canvas.FillString(f, at, western(text))
}

// western is text in Windows-1252, with ? for what it lacks.
func western(text string) string {
	const from0x80 = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ"
	table := []rune(from0x80)
	var b strings.Builder
	for _, r := range text {
		c := byte('?')
		if r < 0x80 || r >= 0xa0 && r <= 0xff {
			c = byte(r)
		}
		for i, special := range table {
			if r == special && r > 0xff {
				c = byte(0x80 + i)
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

// date overwrites the dates in a PDF's information dictionary (PDF 1.7, section
// 14.3.3), which are those of the writing: the same chart is the same file.
func date(pdf []byte, at time.Time) {
	for _, key := range []string{"/CreationDate (D:", "/ModDate (D:"} {
		if i := bytes.LastIndex(pdf, []byte(key)); i >= 0 {
			copy(pdf[i+len(key):], at.UTC().Format("20060102150405"))
		}
	}
}
