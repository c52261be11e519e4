package sampler

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// ErrNoProc is a host whose CPU time cannot be read, as it has no /proc (proc(5)).
// The load can go on without.
var ErrNoProc = errors.New("host has no /proc: CPU not sampled")

// Times that the link keeps to.
const (
	connectPatience = 14 * time.Second       // to the loop's first word; ssh's own ConnectTimeout is less
	sendPatience    = time.Second            // for a line to be taken
	endPatience     = time.Second            // from the end of its input to that of ssh
	killPatience    = 250 * time.Millisecond // for what is left when ssh has ended, or shows no more sign of it
)

// pace is how soon silence tells. The zero value is as ratebench has it.
type pace struct {
	beat   time.Duration // the longest silence on our side; 0 is 1.1 s: more than a second, so that readings do
	orphan time.Duration // silence of 3 to 5 times that ends the loop; 0 is 1 s; for fractions of one it takes a sleep(1) that knows them
}

func (p pace) filled() pace {
	return pace{cmp.Or(p.beat, 1100*time.Millisecond), cmp.Or(p.orphan, time.Second)}
}

// link is a running ssh with the loop at its other end.
type link struct {
	host    Host
	mark    string
	pace    pace
	process *exec.Cmd
	out     *os.File // its standard output
	said    tail     // its standard error
	answers chan answer
	ended   chan struct{} // closed when ssh has been waited for
	why     error         // of the end; read it after that
	greeted bool          // the loop has spoken; so too
	printed []byte        // by the host before the loop's first word, if that never came; so too

	sending sync.Mutex
	in      *os.File    // its standard input
	beats   *time.Timer // runs beat when nothing was sent for that long
}

// connect reaches a host by ssh and starts the loop there. It tries once and never
// asks anything.
func connect(ctx context.Context, host Host, how SSH) (transport, error) {
	ctx, cancel := context.WithTimeout(ctx, connectPatience)
	defer cancel()
	l, err := startLink(host, how)
	if err != nil {
		return nil, err
	}
	r, err := newRemote(ctx, l)
	if err != nil {
		l.end(ctx)
		return nil, l.notConnected(err)
	}
	return r, nil
}

// notConnected is why the loop was not reached, with what the host printed instead
// of its first word if time ran out.
func (l *link) notConnected(err error) error {
	if errors.Is(err, context.DeadlineExceeded) && len(l.printed) > 0 {
		return fmt.Errorf("%w; it printed %s", err, oneLine(string(l.printed)))
	}
	return err
}

// startLink starts ssh, and the goroutine that ends when ssh has.
func startLink(host Host, how SSH) (*link, error) {
	l := &link{
		host: host, mark: "ratebench-" + rand.Text(), pace: how.pace.filled(),
		answers: make(chan answer, 1), ended: make(chan struct{}),
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer theirOut.Close()
	l.in, l.out = in, out
	l.process = sshCommand(host, how, remoteCommand(l.mark))
	l.process.Stdin, l.process.Stdout, l.process.Stderr = theirIn, theirOut, &l.said
	if err := l.process.Start(); err != nil {
		in.Close()
		out.Close()
		return nil, notStarted(l.process.Args[0], err)
	}
	l.beats = time.AfterFunc(l.pace.beat, l.beat)
	go l.receive(bufio.NewReaderSize(out, 64<<10))
	return l, nil
}

// sshCommand is ssh and its arguments, the user's first. A session of its own keeps
// a terminal from it: an interrupt there is ours to answer, and no question of ssh's
// can be put. Pdeathsig is no help, as it fires when the thread that started ssh
// ends; if this process is killed, ssh ends for it is at the end of its input.
func sshCommand(host Host, how SSH, command string) *exec.Cmd {
	args := how.Command
	if len(args) == 0 {
		args = []string{"ssh"}
	}
	args = append(append([]string{}, args...), "-T", "-x")
	for _, option := range []string{
		"BatchMode=yes", "ConnectTimeout=10", "ConnectionAttempts=1", "ServerAliveInterval=2", "ServerAliveCountMax=2",
		"ClearAllForwardings=yes", "RemoteCommand=none", // (OpenSSH 7.6)
		"ControlMaster=no", // one that stays for others would be left behind
		"LogLevel=ERROR",   // the banner is not for us, why it failed is
	} {
		args = append(args, "-o", option)
	}
	if how.Identity != "" {
		args = append(args, "-i", how.Identity, "-o", "IdentitiesOnly=yes")
	}
	if host.Port != 0 {
		args = append(args, "-p", strconv.Itoa(int(host.Port)))
	}
	if host.User != "" {
		args = append(args, "-l", host.User)
	}
	args = append(args, "--", host.Name, command)
	c := exec.Command(args[0], args[1:]...)
	c.SysProcAttr = ownSession()
	c.Env = append(os.Environ(), "LC_ALL=C", "SSH_ASKPASS_REQUIRE=never")
	c.WaitDelay = killPatience
	return c
}

// send hands text to ssh. A line that was taken in part cannot be taken back: then
// the link is lost.
func (l *link) send(ctx context.Context, text string) error {
	if err := ctx.Err(); err != nil {
		return noAnswer(err)
	}
	if err := l.write(text); err != nil {
		return l.lost(fmt.Errorf("ssh takes no input: %w", err))
	}
	return nil
}

func (l *link) write(text string) error {
	l.sending.Lock()
	defer l.sending.Unlock()
	l.beats.Reset(l.pace.beat)
	l.in.SetWriteDeadline(time.Now().Add(sendPatience))
	_, err := l.in.WriteString(text)
	return err
}

// beat shows the host that we are there when nothing else does.
func (l *link) beat() {
	select {
	case <-l.ended:
	default:
		_ = l.write("b\n") // the next fetch meets the same error
	}
}

// lost is the loss for the reason that ssh gave, or that which showed it.
func (l *link) lost(shown error) error {
	select {
	case <-l.ended:
		return &lostError{l.why}
	case <-time.After(killPatience):
		return &lostError{shown}
	}
}

// end ends ssh, gently until ctx ends: at the end of its input the loop ends and ssh
// with it, also if that is killed. It returns when ssh has been waited for.
func (l *link) end(ctx context.Context) {
	l.in.Close() // ends a write under way too
	l.beats.Stop()
	select {
	case <-l.ended:
		return
	case <-ctx.Done():
	case <-time.After(endPatience):
	}
	l.kill()
	<-l.ended
}

// kill ends ssh and all that it started, like a ProxyCommand. What left its process
// group may still hold its output open, which is not waited for.
func (l *link) kill() {
	killSession(l.process)
	l.out.SetReadDeadline(time.Now().Add(killPatience))
}
