package report

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"io"
	"strings"
	"testing"
)

// drawnDocuments writes the recorded documents that have pictures, by name and ending.
func drawnDocuments(t *testing.T, ending string) map[string]func(io.Writer) error {
	all := map[string]func(io.Writer) error{}
	format, err := FormatOf(ending)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"steady", "overload", "one-request", "all-refused", "interrupted", "closed"} {
		d := loadRun(t, name)
		all[name] = func(w io.Writer) error { return format(w, d) }
	}
	ofSweep, err1 := SweepFormatOf(ending)
	ofSearch, err2 := CapacityFormatOf(ending)
	ofRuns, err3 := SeriesFormat(ending[1:])
	ofSweeps, err4 := SweepSeriesFormatOf(ending)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	sweep, search := readSaved(t, "knee.json").Sweep, readSaved(t, "search.json").Capacity
	runs := []Labelled[*Document]{{"steady.json", loadRun(t, "steady")}, {"overload.json", loadRun(t, "overload")}}
	all["knee"] = func(w io.Writer) error { return ofSweep(w, sweep) }
	all["search"] = func(w io.Writer) error { return ofSearch(w, search) }
	all["runs"] = func(w io.Writer) error { return ofRuns(w, runs) }
	all["sweeps"] = func(w io.Writer) error { return ofSweeps(w, []Labelled[*Sweep]{{"a.json", sweep}, {"b.json", sweep}}) }
	return all
}

// TestPlotGoldens holds pictures, point by point.
func TestPlotGoldens(t *testing.T) {
	for name, write := range drawnDocuments(t, ".svg") {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".svg", b.Bytes())
	}
}

// TestPlotFiles: of formats whose bytes depend on more than the document the
// structure is held: sizes are those of the SVG of the same picture. A PNG takes
// seconds to make under the race detector, so not every picture becomes one.
func TestPlotFiles(t *testing.T) {
	vector, bitmap, paper := drawnDocuments(t, ".svg"), drawnDocuments(t, ".png"), drawnDocuments(t, ".pdf")
	for name := range vector {
		var svg, img, pdf bytes.Buffer
		if err := errors.Join(vector[name](&svg), paper[name](&pdf)); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		width, height, err := sizeOf(svg.String())
		err = errors.Join(err, isPDF(pdf.Bytes(), width, height))
		if name == "one-request" || name == "knee" {
			err = errors.Join(err, bitmap[name](&img), isPNG(img.Bytes(), width, height))
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPlotFilesFail(t *testing.T) {
	if _, _, err := sizeOf("<svg>"); err == nil {
		t.Error("an SVG without a size has one")
	}
	if isPNG([]byte("\x89PNG"), 1, 1) == nil || isPDF([]byte("%PDF-1.3"), 1, 1) == nil {
		t.Error("half a file passes")
	}
}

// sizeOf is the size of an SVG in points.
func sizeOf(svg string) (width, height float64, err error) {
	_, size, found := strings.Cut(svg, " viewBox=\"0 0 ")
	if !found {
		return 0, 0, errors.New("no size")
	}
	_, err = fmt.Sscanf(size, "%g %g\"", &width, &height)
	return width, height, err
}

// isPNG is nil if a picture of that size in points is whole and has ink on it.
func isPNG(text []byte, width, height float64) error {
	img, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		return err
	}
	const scale = 150 / 72.0
	size := img.Bounds().Size()
	if float64(size.X) < width*scale-1 || float64(size.X) > width*scale+1 || float64(size.Y) < height*scale-2 || float64(size.Y) > height*scale+2 {
		return fmt.Errorf("%v pixels for %g × %g points", size, width, height)
	}
	for x := range size.X {
		if r, _, _, _ := img.At(x, size.Y/3).RGBA(); r < 0xf000 {
			return nil
		}
	}
	return errors.New("white across")
}

// isPDF is nil if a file has a page of that size, a font and an end.
func isPDF(text []byte, width, height float64) error {
	page := fmt.Sprintf("/MediaBox [0 0 %.2f %.2f]", width, height)
	for _, part := range []string{"%PDF-1.", page, "/FontFile2", "/CreationDate (D:20261130", "%%EOF"} {
		if !bytes.Contains(text, []byte(part)) {
			return fmt.Errorf("a PDF without %s", part)
		}
	}
	return nil
}
