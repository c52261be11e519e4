//go:build linux

package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// options of a bench.
type options struct {
	rounds     int
	quick      bool // one round of short runs, to see that all works
	strict     bool // a missed goal is an error
	only       string
	seed       uint64
	out        string // of the JSON document
	ratebench  string // the program measured
	peers      string // folder for those that go install brings
	serverCore int
	clientCore int
}

// usageText precedes the options in the help.
const usageText = `bench measures ratebench beside other load generators, on the same nginx.

It installs what it lacks: Debian's httperf, ab, wrk and h2load, and vegeta and
bombardier through the Go module proxy. It needs nginx, two cores that nothing
else uses, and about 20 minutes.

`

func readOptions(args []string) (*options, error) {
	o := &options{}
	f := newFlags("bench")
	f.IntVar(&o.rounds, "rounds", 5, "run every client `N` times")
	f.BoolVar(&o.quick, "quick", false, "one round of short runs, only to see that all works")
	f.BoolVar(&o.strict, "strict", false, "exit with status 3 if a goal is missed")
	f.StringVar(&o.only, "only", "", "only the `BLOCKS` whose names start so, separated by commas")
	f.Uint64Var(&o.seed, "seed", 1, "`N` that the order within rounds is drawn from")
	f.StringVar(&o.out, "o", "bin/bench.json", "write the figures to `FILE`")
	f.StringVar(&o.ratebench, "ratebench", "bin/ratebench", "`PROGRAM` to measure")
	f.StringVar(&o.peers, "peers", "bin/peers", "`FOLDER` for peers that are Go modules")
	f.IntVar(&o.serverCore, "server-core", 0, "`N` of the core for the server")
	f.IntVar(&o.clientCore, "client-core", 1, "`N` of the core for the clients")
	usage := f.Usage
	f.Usage = func() { fmt.Fprint(os.Stderr, usageText); usage() }
	if err := parse(f, args); err != nil {
		return nil, err
	}
	return o, o.check()
}

func (o *options) check() error {
	if o.rounds < 1 {
		return complain("-rounds %d: must be 1 or more", o.rounds)
	}
	if o.serverCore < 0 || o.clientCore < 0 || o.serverCore == o.clientCore {
		return complain("-server-core %d -client-core %d: must be two cores", o.serverCore, o.clientCore)
	}
	if o.quick {
		o.rounds = 1
	}
	return nil
}

// wants says whether the block of that name is to be run.
func (o *options) wants(block string) bool {
	if o.only == "" {
		return true
	}
	for start := range strings.SplitSeq(o.only, ",") {
		if strings.HasPrefix(block, strings.TrimSpace(start)) {
			return true
		}
	}
	return false
}

func newFlags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(os.Stderr)
	return f
}

// parse reads flags; operands are a fault. The flag set has printed what is wrong.
func parse(f *flag.FlagSet, args []string) error {
	if err := f.Parse(args); err != nil {
		if err == flag.ErrHelp {
			return err
		}
		return errUsage
	}
	if f.NArg() > 0 {
		return complain("%q: not an option", f.Arg(0))
	}
	return nil
}

// complain prints a fault of the command line and returns errUsage.
func complain(format string, values ...any) error {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", values...)
	return errUsage
}
