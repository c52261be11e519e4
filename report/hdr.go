package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"

	"ratebench/attack/record"
)

// hdrTicks is the number of rows for each halving of the distance to 100 %,
// the customary value of the format.
const hdrTicks = 5

// WriteHDR writes the percentile distribution of the response times of replies
// in HdrHistogram's text format, in milliseconds, for that project's plotter. A
// run without replies has a total count of 0. Rows are upper edges of buckets; the
// figures at the end are exact. An error says that the document's
// histogram is missing or damaged.
func WriteHDR(w io.Writer, d *Document) error {
	h, err := responseHistogram(d)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	// A buffer takes everything, so there is no error but w's.
	_, _ = h.PercentilesPrint(&b, hdrTicks, 1e6)
	_, err = w.Write(exactFooter(b.Bytes(), &d.Summary.Time.Response))
	return err
}

// exactFooter puts the figures of the summary in place of those that a histogram
// makes up from its buckets, whose upper edges are up to a thousandth higher.
func exactFooter(text []byte, s *record.Stats) []byte {
	table, footer, _ := bytes.Cut(text, []byte("#[Mean"))
	_, buckets, _ := bytes.Cut(footer, []byte("#[Buckets"))
	exact := fmt.Sprintf("#[Mean    = %12.3f, StdDeviation   = %12.3f]\n#[Max     = %12.3f, Total count    = %12d]\n#[Buckets",
		inMillis(s.Mean), inMillis(s.StdDev), inMillis(s.Max), s.Count)
	return slices.Concat(table, []byte(exact), buckets)
}

// responseHistogram is the document's, an empty one if there were no replies.
func responseHistogram(d *Document) (*hdrhistogram.Histogram, error) {
	text := d.Histograms["response"]
	switch {
	case text != "":
		return decodeHistogram("response", text)
	case d.Summary.Time.Response.Count > 0:
		return nil, errors.New("histogram response: missing")
	}
	empty, err := record.NewHistogram().Encode()
	if err != nil {
		return nil, fmt.Errorf("encoding an empty histogram: %w", err)
	}
	return decodeHistogram("response", empty)
}

func decodeHistogram(key, text string) (*hdrhistogram.Histogram, error) {
	h, err := hdrhistogram.Decode([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("histogram %s: %w", key, err)
	}
	return h, nil
}

// checkHistograms is nil if every histogram can be read and holds as many
// values as the summary counts. One of no values may be missing.
func checkHistograms(d *Document) error {
	for _, row := range timeRows(&d.Summary.Time) {
		text, found := d.Histograms[row.key]
		switch {
		case row.key == "response_all":
			continue // replies with errors above them: no histogram of its own
		case !found && row.stats.Count > 0:
			return fmt.Errorf("histogram %s: missing", row.key)
		case !found:
			continue
		}
		h, err := decodeHistogram(row.key, text)
		if err != nil {
			return err
		}
		if uint64(h.TotalCount()) != row.stats.Count {
			return fmt.Errorf("histogram %s: holds %d values, the summary counts %d", row.key, h.TotalCount(), row.stats.Count)
		}
	}
	return nil
}
