package main

import (
	"regexp"
	"slices"

	"github.com/urfave/cli/v2"

	"ratebench/attack/plan"
)

// commandWord is what a command's name looks like and no URL does.
var commandWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// checkOperands leaves the one operand that a run has, its URL, and reports the
// others. lost says that one of them was meant for a command.
func (s *scanner) checkOperands() (lost bool) {
	var urls []string
	for _, word := range s.operands {
		switch {
		case s.isCommand(word):
			s.fault("command %s: has to come first", word)
			lost = true
		case commandWord.MatchString(word):
			s.unknownCommand(word)
			lost = true
		case len(urls) > 0:
			s.fault("surplus argument %q: a run has one URL", masked(word))
		default:
			urls = append(urls, word)
		}
	}
	s.operands = urls
	return lost
}

// checkCommandOperands refuses operands of a command that takes none.
func (s *scanner) checkCommandOperands(c *cli.Command) {
	if c.ArgsUsage != "" {
		return
	}
	for _, word := range s.operands {
		s.fault("surplus argument %q: %s takes options only", masked(word), c.Name)
	}
}

func (s *scanner) isCommand(word string) bool { return slices.Contains(s.commandNames(), word) }

func (s *scanner) commandNames() []string {
	var names []string
	for _, c := range s.commands {
		names = append(names, c.Names()...)
	}
	return names
}

func (s *scanner) unknownCommand(word string) {
	if near := nearest(word, s.commandNames()); near != "" {
		s.fault("unknown command %q (did you mean %s?)", word, near)
		return
	}
	if option := s.find(word); option != nil && len(word) > 1 {
		s.fault("unknown command %q (did you mean --%s?)", word, word)
		return
	}
	s.fault("unknown command %q; a URL begins with http:// or https://", word)
}

// masked is a URL without its password.
func masked(url string) string { return (&plan.Plan{URL: url}).Masked().URL }

// nearest is the name that word is a slip of the finger away from, empty if
// there is none: an edit for every three letters, at least one. Names of one
// letter are near to everything and are left out.
func nearest(word string, names []string) string {
	best, least := "", max(1, len(word)/3)+1
	for _, name := range names {
		if len(name) < 2 || len(word) < 2 {
			continue
		}
		if d := edits(word, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// edits is the least number of letters inserted, deleted, replaced or swapped
// with their neighbour that turn a into b (optimal string alignment distance).
func edits(a, b string) int {
	var before, above []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, above, row = above, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := above[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(above[j]+1, row[j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
