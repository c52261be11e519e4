package suite

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// document is the one document of a text, nil if there is none.
func (r *reader) document(text []byte) ast.Node {
	start := place{1, 1}
	switch {
	case len(text) > maxFile:
		r.add(place{}, "longer than %d bytes, which no suite is", maxFile)
		return nil
	case !utf8.Valid(text):
		r.add(place{}, "is not UTF-8")
		return nil
	}
	clean := strings.ReplaceAll(strings.TrimPrefix(string(text), "\ufeff"), "\r\n", "\n")
	file, err := parser.ParseBytes([]byte(clean), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		r.syntax(err)
		return nil
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		r.add(start, "want one YAML document, found %d", bodies(file))
		return nil
	}
	return file.Docs[0].Body
}

func bodies(file *ast.File) (n int) {
	for _, d := range file.Docs {
		if d.Body != nil {
			n++
		}
	}
	return n
}

var parserText = regexp.MustCompile(`^\[(\d+):(\d+)\] ([^\n]*)`)

// syntax takes in what the parser says, [LINE:COLUMN] TEXT and then an excerpt,
// which is left out: a fault is a line.
func (r *reader) syntax(err error) {
	m := parserText.FindStringSubmatch(err.Error())
	if m == nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		r.add(place{}, "no YAML: %s", line)
		return
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	hint := ""
	if strings.Contains(m[3], `'	'`) {
		hint = ": YAML is indented with blanks, not tabs"
	}
	r.add(place{line, column}, "no YAML: %s%s", strings.ReplaceAll(m[3], "\t", `\t`), hint)
}
