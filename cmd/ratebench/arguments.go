package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// commandLine is a command line in the only order that cli reads safely: the
// command, its options as --name=value under their first names, "--", and the
// rest. cli itself would take every word after the first operand for another
// operand, so that "ratebench URL --rate 300" ran at some other rate.
type commandLine struct {
	args   []string
	help   string // what to print, and nothing else to be done
	faults []error
	// valueless are the options, by their first names, that were given without
	// their value, so that nothing else need complain that they are missing.
	valueless map[string]bool
	// lost says that the faults hide what was meant, a command for one, so
	// that looking further would only add complaints that follow from them.
	lost bool
}

// refused is the faults, if they have to be reported without looking further.
func (l *commandLine) refused() error {
	if !l.lost {
		return nil
	}
	return usageError{errors.Join(l.faults...)}
}

// scanner sorts the words of a command line into options and operands.
type scanner struct {
	flags    []cli.Flag
	commands []*cli.Command
	options  []string
	operands []string
	given    map[string]bool
	bare     map[string]bool // given without their value
	faults   []error
	asked    string // "help" or "version", if it was
}

// readArguments sorts args by the options that program, which must be set up,
// has. Operands of the program itself are checked: at most one, and a URL.
func readArguments(program *cli.App, args []string) *commandLine {
	if len(args) == 0 {
		return &commandLine{lost: true, faults: []error{
			errors.New("a URL is missing, as in: ratebench --rate 300 --total 40000 http://127.0.0.1:8080/"),
			errors.New("ratebench --help lists the options"),
		}}
	}
	flags, help := program.Flags, program.UsageText
	var line commandLine
	command := program.Command(args[0])
	if command != nil {
		flags, help = command.Flags, command.UsageText
		line.args, args = append(line.args, command.Name), args[1:]
	}
	s := &scanner{flags: append(slices.Clone(flags), helpFlag()), commands: program.Commands, given: map[string]bool{}, bare: map[string]bool{}}
	s.scan(args)
	switch s.asked {
	case "help":
		return &commandLine{help: help}
	case "version":
		line.args, line.faults = append(line.args, "--version"), s.faults
		line.lost = len(s.faults) > 0
		return &line
	}
	if command == nil || command.ArgsUsage == urlUsage {
		line.lost = s.checkOperands()
	} else {
		s.checkCommandOperands(command)
		line.lost = len(s.faults) > 0
	}
	line.faults, line.valueless = s.faults, s.bare
	line.args = append(append(append(line.args, s.options...), "--"), s.operands...)
	return &line
}

func (s *scanner) scan(args []string) {
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch {
		case word == "--":
			s.operands = append(s.operands, args...)
			return
		case len(word) > 1 && word[0] == '-':
			args = s.option(word, args)
		default:
			s.operands = append(s.operands, word)
		}
	}
}

// option takes one option and returns the words after it and its value.
func (s *scanner) option(word string, rest []string) []string {
	written, value, joined := strings.Cut(word, "=")
	flag := s.find(strings.TrimLeft(written, "-"))
	if flag == nil {
		return s.unknown(word, rest)
	}
	name := flag.Names()[0]
	if name == "help" || name == "version" {
		s.asked = name
		return rest
	}
	if s.given[name] && !repeatable(flag) {
		s.fault("%s: given twice", written)
	}
	s.given[name] = true
	switch {
	case !takesValue(flag):
		if joined {
			s.fault("%s: takes no value", shown(word))
		}
		s.options = append(s.options, "--"+name)
		return rest
	case !joined && (len(rest) == 0 || s.isOption(rest[0])):
		s.fault("%s: its value is missing", written)
		s.bare[name] = true
		return rest
	case !joined:
		value, rest = rest[0], rest[1:]
	}
	s.options = append(s.options, "--"+name+"="+value)
	return rest
}

// unknown reports an option that does not exist. The scan goes on as if its
// suggestion had been meant, so that one slip is one complaint.
func (s *scanner) unknown(word string, rest []string) []string {
	written, _, joined := strings.Cut(word, "=")
	if h, joined := habitOf(word); h.hint != "" {
		s.fault("unknown option %s (%s)", shown(written), h.hint)
		return skipValue(rest, joined || !h.value)
	}
	var names []string
	for _, f := range s.flags {
		names = append(names, f.Names()...)
	}
	near := nearest(strings.TrimLeft(written, "-"), names)
	if near == "" {
		s.fault("unknown option %s", shown(written))
		return skipValue(rest, joined)
	}
	s.fault("unknown option %s (did you mean --%s?)", shown(written), near)
	if near == "help" || near == "version" {
		return rest
	}
	return s.option("--"+near+strings.TrimPrefix(word, written), rest)
}

func (s *scanner) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Errorf(format, args...))
}

func (s *scanner) find(name string) cli.Flag {
	for _, f := range s.flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// isOption tells an option from a value that begins with a dash: -1s is a
// value, and so is "-" alone.
func (s *scanner) isOption(word string) bool {
	if strings.HasPrefix(word, "--") {
		return true
	}
	if len(word) < 2 || word[0] != '-' || word[1] >= '0' && word[1] <= '9' {
		return false
	}
	written, _, _ := strings.Cut(word, "=")
	return s.find(written[1:]) != nil
}

// skipValue drops what is probably the value of an option that does not exist.
func skipValue(rest []string, joined bool) []string {
	if joined || len(rest) == 0 || strings.HasPrefix(rest[0], "-") || strings.Contains(rest[0], "://") {
		return rest
	}
	return rest[1:]
}

func takesValue(f cli.Flag) bool {
	documented, ok := f.(cli.DocGenerationFlag)
	return ok && documented.TakesValue()
}

func repeatable(f cli.Flag) bool {
	slice, ok := f.(cli.DocGenerationSliceFlag)
	return ok && slice.IsSliceFlag()
}

// shown is a word fit for a message: as it is, or quoted if it holds what a
// terminal would obey.
func shown(word string) string {
	if quoted := strconv.Quote(word); quoted != `"`+word+`"` || strings.Contains(word, " ") {
		return quoted
	}
	return word
}
