package report

import (
	"bytes"
	"strings"
	"testing"
)

func TestFormatName(t *testing.T) {
	for file, want := range map[string]string{
		"a.txt": "text", "a.JSON": "json", "dir.json/a.csv": "csv", "a.summary.csv": "csv-summary",
		"a.hdr": "hdr", "a.httperf": "httperf", "a.b.txt": "text", ".csv": "csv", "a.html": "html", "a.SVG": "svg", "a.png": "png", "a.pdf": "pdf",
	} {
		if got, err := FormatName(file); err != nil || got != want {
			t.Errorf("FormatName(%q) = %q, %v, want %q", file, got, err, want)
		}
	}
	for _, file := range []string{"", "json", "a.htm", "a.json.gz", "dir.csv/", "a.txt "} {
		_, err := FormatOf(file)
		if err == nil && file != "dir.csv/" { // Base drops the slash; opening it is what fails
			t.Errorf("FormatOf(%q): no error", file)
		}
		if err != nil && !strings.HasSuffix(err.Error(), "want .txt, .httperf, .json, .csv, .summary.csv, .hdr, .html, .svg, .png or .pdf") {
			t.Errorf("FormatOf(%q): %v", file, err)
		}
	}
}

func TestFormat(t *testing.T) {
	for _, f := range formats() {
		if write, err := Format(f.name); err != nil || write == nil {
			t.Errorf("Format(%q): %v", f.name, err)
		}
	}
	_, err := Format("docx")
	if want := `format "docx": want text, httperf, json, csv, csv-summary, hdr, html, svg, png or pdf`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestSeriesFormat(t *testing.T) {
	d := loadRun(t, "steady")
	for _, name := range []string{"text", "httperf", "csv-summary"} {
		write, err := SeriesFormat(name)
		if err != nil {
			t.Fatal(err)
		}
		var one, two bytes.Buffer
		if err := write(&one, []Labelled[*Document]{{"a", d}}); err != nil {
			t.Fatal(err)
		}
		if err := write(&two, []Labelled[*Document]{{"a", d}, {"b", d}}); err != nil {
			t.Fatal(err)
		}
		want := one.String() + "\n" + one.String()
		if name == "csv-summary" {
			_, row, _ := strings.Cut(one.String(), "\n")
			want = one.String() + row
		}
		if d := diff(name, want, two.String()); d != "" {
			t.Errorf("two runs:\n%s", d)
		}
	}
	for _, name := range []string{"json", "csv", "hdr"} {
		_, err := SeriesFormat(name)
		if err == nil || !strings.HasSuffix(err.Error(), "holds one run: for several want text, httperf, csv-summary, html, svg, png or pdf") {
			t.Errorf("SeriesFormat(%q): %v", name, err)
		}
	}
	if _, err := SeriesFormat("docx"); err == nil || !strings.Contains(err.Error(), "want text, httperf, json") {
		t.Errorf("SeriesFormat of an unknown format: %v", err)
	}
}
