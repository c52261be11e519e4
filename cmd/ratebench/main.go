// Command ratebench offers requests to HTTP servers at a fixed rate, whether or
// not they keep up, and reports what came back.
//
// The command line is read here and nothing is measured: options become a
// plan.Plan, attack.Run carries it out, and the report's writers print it.
// Every fault of a command line is reported at once and before any traffic, a
// line each on standard error. Results go to standard output.
package main

import (
	"context"
	"io"
	"os"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"ratebench/attack"
	"ratebench/attack/plan"
	"ratebench/attack/record"
)

func main() {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, attack: attack.Run, idle: startIdle}
	ctx, stop := interruptible(context.Background(), caught(), func(status int) {
		a.emergency.run()
		os.Exit(status)
	})
	status := a.run(ctx, os.Args[1:])
	stop()
	os.Exit(status)
}

// app is what the commands take from outside, so that tests can put their own in its place.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	attack         func(context.Context, *plan.Plan, attack.Hooks) (*record.Run, error)
	idle           func(context.Context) (url string, stop func(), err error) // starts a server that does nothing
	emergency      emergency
}

// run carries out one command line, without the program's name, and returns
// the exit status. Nothing but this function prints an error.
func (a *app) run(ctx context.Context, args []string) int {
	program := a.program()
	line := readArguments(program, args)
	program.Action = func(c *cli.Context) error { return a.measure(c, line) }
	program.Command("sweep").Action = func(c *cli.Context) error { return a.sweep(c, line) }
	program.Command("capacity").Action = func(c *cli.Context) error { return a.capacity(c, line) }
	err := line.refused()
	switch {
	case line.help != "":
		_, err = io.WriteString(a.stdout, line.help)
	case err == nil:
		err = program.RunContext(ctx, append([]string{program.Name}, line.args...))
	}
	complain(a.stderr, err)
	return exitStatus(err)
}

// program is the command line's shape. cli parses and dispatches; it neither
// prints errors nor ends the process.
func (a *app) program() *cli.App {
	commands := []*cli.Command{sweepCommand(), capacityCommand(), a.compareCommand(), reportCommand(), a.sampleCommand(), serveCommand()}
	for _, c := range commands {
		c.HideHelp = true
		c.OnUsageError = refuse
		c.UsageText = commandHelp(c)
	}
	flags := runFlags()
	program := &cli.App{
		Name:                      "ratebench",
		UsageText:                 programHelp(flags, commands),
		Flags:                     flags,
		Commands:                  commands,
		Reader:                    a.stdin,
		Writer:                    a.stdout,
		ErrWriter:                 a.stderr,
		HideHelp:                  true, // its flag is one variable for all programs of a process
		HideVersion:               true, // --version is a flag of our own, without cli's -v
		DisableSliceFlagSeparator: true, // a header's value may hold commas
		OnUsageError:              refuse,
		ExitErrHandler:            func(*cli.Context, error) {},
	}
	program.Setup()
	return program
}

// version is the module's version as the go command stamped it, "devel" where it did not.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
