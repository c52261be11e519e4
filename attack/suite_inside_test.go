package attack_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"ratebench/attack"
	"ratebench/attack/plan"
	"ratebench/attack/record"
)

// insideVar holds, in a process that inside has started, the name of the test
// that it is there for.
const insideVar = "RATEBENCH_TEST_INSIDE"

// insideLimit bounds such a process.
const insideLimit = 60 * time.Second

// inside plays body in a process of its own: this test program once more, run by
// the command wrap, for what belongs to a whole process or to a namespace. A
// machine that cannot do what wrap asks for fails the test with its words.
func inside(t *testing.T, wrap []string, body func(*testing.T)) {
	t.Helper()
	if os.Getenv(insideVar) == t.Name() {
		body(t)
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), insideLimit)
	defer cancel()
	args := append(append([]string(nil), wrap...), program, "-test.v", "-test.run="+exactly(t.Name()), "-test.timeout="+insideLimit.String())
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Env = append(os.Environ(), insideVar+"="+t.Name())
	out, err := command.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Errorf("%s: %v\n%.4000s", strings.Join(wrap, " "), err, out)
	}
}

// exactly is the -test.run pattern of one test or subtest.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
	}
	return strings.Join(parts, "/")
}

// private is the command for inside that gives the process a network and mounts of
// its own, with loopback up, and makes them ready with a shell script. Root needs
// nothing else; others become root of a user namespace.
func private(script string) []string {
	command := []string{"unshare", "-n", "-m"}
	if os.Getuid() != 0 {
		command = append(command, "-r")
	}
	return append(command, "sh", "-ec", "ip link set lo up\n"+script+"\nexec \"$0\" \"$@\"")
}

// withHosts is the part of such a script that replaces a file of /etc by the
// lines of another.
func withHosts(t *testing.T, etc, lines string) string {
	t.Helper()
	file := t.TempDir() + "/" + etc
	if err := os.WriteFile(file, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	return "mount --bind " + file + " /etc/" + etc + "\n"
}

func TestInsideTellsFailure(t *testing.T) {
	if os.Getenv(insideVar) != "" {
		return
	}
	if err := exec.Command("unshare", "--help").Run(); err != nil {
		t.Fatalf("the tests of this package need unshare(1): %v", err)
	}
	if got := exactly("A/b.c"); got != `^A$/^b\.c$` {
		t.Errorf("pattern %s", got)
	}
}

// offerLogged is offer with the log of every request, in the order of the plan.
func offerLogged(t *testing.T, ctx context.Context, p *plan.Plan) (*record.Run, []vegeta.Result) {
	t.Helper()
	var written bytes.Buffer
	log, err := attack.NewLog(&written, "gob", p)
	if err != nil {
		t.Fatal(err)
	}
	run, err := attack.Run(ctx, p, attack.Hooks{Log: log})
	if closed := log.Close(); closed != nil {
		t.Fatal(closed)
	}
	if err != nil {
		t.Fatal(err)
	}
	checkAccounts(t, run)
	var results []vegeta.Result
	for decode := vegeta.NewDecoder(&written); ; {
		var r vegeta.Result
		if decode(&r) != nil {
			return run, results
		}
		results = append(results, r)
	}
}

// forbidden is the server of nobody: a port of loopback that refuses.
const forbidden = "http://127.0.0.1:1/"
