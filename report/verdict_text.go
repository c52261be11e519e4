package report

import (
	"bytes"
	"strings"

	"ratebench/attack/record"
)

// writeVerdict writes all doubts, on one line if they fit.
func writeVerdict(b *bytes.Buffer, v *record.Verdict) {
	word := pad(strings.ToUpper(shown(string(v.Status))), len("SUSPECT")) + "  "
	texts, _ := findingTexts(v)
	all := strings.Join(texts, " · ")
	if width(word)+width(all) > pageWidth {
		var lines []string
		for _, text := range texts {
			lines = append(lines, broken(text, pageWidth-width(word))...)
		}
		all = strings.Join(lines, "\n"+pad("", width(word)))
	}
	b.WriteString(strings.TrimRight(word+all, " ") + "\n")
}

// findingTexts are the texts of v's findings, escaped: doubts, and remarks, which
// make the run none the worse.
func findingTexts(v *record.Verdict) (doubts, remarks []string) {
	for _, f := range v.Findings {
		if text := shown(f.Text); f.Status == record.Valid {
			remarks = append(remarks, text)
		} else {
			doubts = append(doubts, text)
		}
	}
	return doubts, remarks
}
