package sampler

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// burnerSet makes the test binary be a burner: a process that waits for a line on
// its standard input, such as "fixed 3s", does that and answers with the CPU time
// that it took as the kernel tells it and its children's parent (getrusage(2)).
const burnerSet = "SAMPLER_TEST_BURNER"

func TestBurner(t *testing.T) {
	if os.Getenv(burnerSet) == "" {
		return // not a test
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		what, length, _ := strings.Cut(lines.Text(), " ")
		span, err := time.ParseDuration(length)
		if err != nil {
			t.Fatal(err)
		}
		before := ownUsage()
		burnAs(what, span)
		fmt.Println("used", int64(ownUsage()-before))
	}
}

func burnAs(what string, span time.Duration) {
	until := time.Now().Add(span)
	switch what {
	case "fixed":
		burnAt(until, func() time.Duration { return 10 * time.Millisecond })
	case "poisson":
		random := rand.New(rand.NewPCG(1, 2))
		burnAt(until, func() time.Duration { return time.Duration(random.ExpFloat64() * float64(10*time.Millisecond)) })
	case "children":
		forkAt(until)
	case "unwaited":
		signal.Ignore(syscall.SIGCHLD)
		forkAt(until)
	case "long-child":
		loop("800000").Run()
	case "threads":
		done := make(chan bool)
		for range 2 {
			go func() { spin(span); done <- true }()
		}
		<-done
		<-done
	}
}

// burnAt works for 1 ms at each of its instants.
func burnAt(until time.Time, gap func() time.Duration) {
	for next := time.Now(); next.Before(until); next = next.Add(gap()) {
		time.Sleep(time.Until(next))
		spin(time.Millisecond)
	}
}

// spin works for that long, by the clock: what others take of the core counts too.
func spin(span time.Duration) {
	for until := time.Now().Add(span); time.Now().Before(until); {
	}
}

// forkAt has a child of a few milliseconds work 50 times a second.
func forkAt(until time.Time) {
	for next := time.Now(); next.Before(until); next = next.Add(20 * time.Millisecond) {
		time.Sleep(time.Until(next))
		loop("3000").Run() // with SIGCHLD ignored it fails to be waited for, which is meant
	}
}

// loop is a process that counts to n.
func loop(n string) *exec.Cmd {
	return exec.Command("/bin/sh", "-c", `i=0; while [ $i -lt `+n+` ]; do i=$((i+1)); done; exit 0`)
}

// ownUsage is this process's CPU time with that of the children it waited for.
func ownUsage() time.Duration {
	var used time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if err := syscall.Getrusage(who, &r); err != nil {
			panic(err)
		}
		used += time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	return used
}

// burner is such a process.
type burner struct {
	t     *testing.T
	pid   int
	input io.Writer
	lines *bufio.Reader
}

func startBurner(t *testing.T) *burner {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, "-test.run=^TestBurner$", "-test.timeout=2m")
	c.Env = append(os.Environ(), burnerSet+"=1")
	c.Stderr = os.Stderr
	input, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { input.Close(); c.Wait() })
	return &burner{t, c.Process.Pid, input, bufio.NewReader(output)}
}

// begin starts the work, and used waits for its end and returns the CPU time.
func (b *burner) begin(what string, span time.Duration) {
	b.t.Helper()
	if _, err := fmt.Fprintln(b.input, what, span); err != nil {
		b.t.Fatal(err)
	}
}

func (b *burner) used() time.Duration {
	b.t.Helper()
	line, err := b.lines.ReadString('\n')
	if err != nil {
		b.t.Fatal(err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimPrefix(line, "used ")), 10, 64)
	if err != nil {
		b.t.Fatalf("burner said %q", line)
	}
	return time.Duration(n)
}

// burn does it all.
func (b *burner) burn(what string, span time.Duration) time.Duration {
	b.t.Helper()
	b.begin(what, span)
	return b.used()
}

// selection names the burner.
func (b *burner) selection() Selection { return Selection{ByPID, strconv.Itoa(b.pid)} }
