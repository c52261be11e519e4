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

// findingTexts are the texts of v's findings, escaped, and apart from them why no
// server was watched, which stands where its figures would.
func findingTexts(v *record.Verdict) (found, unwatched []string) {
	for _, f := range v.Findings {
		if text := shown(f.Text); f.Code == "server_not_watched" {
			unwatched = append(unwatched, text)
		} else {
			found = append(found, text)
		}
	}
	return found, unwatched
}
