package chart

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

func TestFiles(t *testing.T) {
	small := sample()
	small.Panels = small.Panels[:1]
	var svg, png, pdf, again bytes.Buffer
	at := time.Date(2026, 11, 30, 18, 12, 3, 0, time.UTC)
	for _, err := range []error{
		SVG(&svg, "title", sample()), PNG(&png, "title", small, small),
		PDF(&pdf, at, "title × 1", small), PDF(&again, at, "title × 1", small),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := wellFormed(svg.String()); err != nil || !strings.Contains(svg.String(), ">title</text>") {
		t.Errorf("SVG: %v", err)
	}
	if !bytes.HasPrefix(png.Bytes(), []byte("\x89PNG\r\n")) || !bytes.HasPrefix(pdf.Bytes(), []byte("%PDF-")) {
		t.Error("not a PNG or not a PDF")
	}
	if !bytes.Equal(pdf.Bytes(), again.Bytes()) || !bytes.Contains(pdf.Bytes(), []byte("/CreationDate (D:20261130181203")) {
		t.Error("a PDF differs from the same one, or has another date")
	}
}

// TestPDFNeedsDirectory: what gonum's canvas panics of is an error.
func TestPDFNeedsDirectory(t *testing.T) {
	t.Setenv("TMPDIR", "/nonexistent")
	if err := PDF(io.Discard, time.Time{}, "", sample()); err == nil || !strings.Contains(err.Error(), "/nonexistent") {
		t.Errorf("error %v, want one that names the directory", err)
	}
}

func TestWestern(t *testing.T) {
	if got := western("a×b – 5 µs € ↑…\u0085"); got != "a\xd7b \x96 5 \xb5s \x80 ?\x85?" {
		t.Errorf("%q", got)
	}
}
