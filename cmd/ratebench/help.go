package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

const helpWidth = 96

// helpFlag is --help, which every command has and no help text lists.
func helpFlag() cli.Flag { return &cli.BoolFlag{Name: "help", Aliases: []string{"h"}} }

// programHelp is the help text of ratebench itself.
func programHelp(flags []cli.Flag, commands []*cli.Command) string {
	var b strings.Builder
	b.WriteString("Offer requests at a fixed rate, whether or not the server keeps up, and report what came back.\n\n")
	b.WriteString("  ratebench [options] URL\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  ratebench %-30s %s\n", usageOf(c), c.Usage)
	}
	b.WriteString("\nOptions may stand before or after the URL. A TIME is 250ms, 1m30s or a number of seconds.\n")
	writeOptions(&b, flags)
	b.WriteString("\nExit status: 0 done, 1 could not run or nothing answered, 2 wrong usage,\n" +
		"3 an objective was missed, 4 the client was the limit, 130, 143 or 129 interrupted.\n")
	return b.String()
}

// commandHelp is the help text of a command.
func commandHelp(c *cli.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n  ratebench %s\n", sentence(c.Usage), usageOf(c))
	if c.Description != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(c.Description))
	}
	writeOptions(&b, ownFlags(c))
	if c.ArgsUsage == urlUsage {
		fmt.Fprintf(&b, "\nAnd all options of a run, which ratebench --help lists, but for %s.\n", lacking(c))
	}
	return b.String()
}

// ownFlags are the flags of a command that a run does not have or has otherwise.
func ownFlags(c *cli.Command) []cli.Flag {
	if c.ArgsUsage != urlUsage {
		return c.Flags
	}
	return slices.DeleteFunc(slices.Clone(c.Flags), func(f cli.Flag) bool {
		name := f.Names()[0]
		return category(f) != aboutSweep && category(f) != aboutSearch && name != "format" && name != "output"
	})
}

// lacking names the options of a run that the command has not.
func lacking(c *cli.Command) string {
	var names []string
	for _, f := range runFlags() {
		has := func(own cli.Flag) bool { return own.Names()[0] == f.Names()[0] }
		if !slices.ContainsFunc(c.Flags, has) {
			names = append(names, "--"+f.Names()[0])
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func usageOf(c *cli.Command) string {
	return strings.TrimSpace(c.Name + " [options] " + c.ArgsUsage)
}

// writeOptions writes flags under the headings of their categories, in the
// order in which both come.
func writeOptions(b *strings.Builder, flags []cli.Flag) {
	heading := "\x00"
	for _, f := range flags {
		documented, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		if about := category(f); about != heading {
			heading = about
			fmt.Fprintf(b, "\n%s:\n", orOptions(about))
		}
		left, text := flagColumns(f, documented)
		writeColumns(b, left, text)
	}
}

func category(f cli.Flag) string {
	if c, ok := f.(cli.CategorizableFlag); ok {
		return c.GetCategory()
	}
	return ""
}

func orOptions(heading string) string {
	if heading == "" {
		return "Options"
	}
	return heading
}

// flagColumns is a flag's names with its value's placeholder, which stands
// between backquotes in its usage, and the usage without the quotes.
func flagColumns(f cli.Flag, documented cli.DocGenerationFlag) (left, text string) {
	before, rest, quoted := strings.Cut(documented.GetUsage(), "`")
	placeholder, after, _ := strings.Cut(rest, "`")
	text = before + placeholder + after
	names := f.Names()
	for i := len(names) - 1; i >= 0; i-- { // the short one first
		dashes := "--"
		if len(names[i]) == 1 {
			dashes = "-"
		}
		left += dashes + names[i] + ", "
	}
	left = strings.TrimSuffix(left, ", ")
	switch {
	case quoted:
		left += " " + placeholder
	case documented.TakesValue():
		left += " VALUE"
	}
	if !strings.Contains(text, "(default") && documented.TakesValue() {
		if value := documented.GetDefaultText(); value != "" && value != `""` {
			text += " (default " + strings.Trim(value, `"`) + ")"
		}
	}
	return left, text
}

// writeColumns writes a row of two columns, text broken at blanks.
func writeColumns(b *strings.Builder, left, text string) {
	const indent = 34
	line := fmt.Sprintf("  %-*s", indent-2, left)
	if len(left) > indent-3 {
		fmt.Fprintf(b, "  %s\n", left)
		line = strings.Repeat(" ", indent)
	}
	for i, word := range strings.Fields(text) {
		if len(line)+1+len(word) > helpWidth {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = strings.Repeat(" ", indent)
		} else if i > 0 {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
}

func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
