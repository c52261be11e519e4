package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ratebench/attack/plan"
	"ratebench/sampler"
)

// watching is what the options say of the servers to watch.
type watching struct {
	off        bool
	hosts      []sampler.Host      // none: this machine if the URL is on it
	selections []sampler.Selection // none: what listens on the URL's ports
	interval   time.Duration       // 0 is the sampler's default
	ssh        sampler.SSH
}

func serverFlags() []cli.Flag {
	return append([]cli.Flag{
		list(aboutServer, "server", "watch `HOST`: local, ssh://[USER@]HOST[:PORT], or none; repeatable (default local if the URL is on this machine)"),
	}, watchFlags(" (default: what listens on the URL's port)")...)
}

// watchFlags say what is watched and how, whichever the host; otherwise is what is
// watched if they do not say.
func watchFlags(otherwise string) []cli.Flag {
	return []cli.Flag{
		list(aboutServer, "process", "watch `WHAT` there: NAME, PID, :PORT, unix:PATH, pidfile:PATH, cgroup:PATH or unit:NAME; repeatable"+otherwise),
		value(aboutServer, "sample-interval", "read the counters every `TIME` (default "+sampler.DefaultInterval.String()+")"),
		value(aboutServer, "identity", "`FILE` of the one key that ssh may use (default: as ssh is configured)"),
		value(aboutServer, "ssh", "`COMMAND`, options and all, to reach hosts by (default ssh)"),
	}
}

// readServers reads all options about servers.
func (r *reader) readServers() {
	for _, text := range r.StringSlice("server") {
		r.readServer(text)
	}
	r.readWatching()
	overSSH := func(h sampler.Host) bool { return !h.Local() }
	r.checkSSH(slices.ContainsFunc(r.watching.hosts, overSSH), "--server ssh://…")
	switch w := &r.watching; {
	case w.off && len(w.hosts) > 0:
		r.fault("--server none and --server %s exclude each other", shownHost(w.hosts[0]))
	case w.off && len(w.selections) > 0:
		r.fault("--server none and --process %s exclude each other", w.selections[0])
	}
}

// checkSSH finds fault with options for ssh that have none themselves if no host is
// reached by it.
func (r *reader) checkSSH(used bool, host string) {
	for _, name := range []string{"identity", "ssh"} {
		faulty := func(err error) bool { return err != nil && strings.HasPrefix(err.Error(), "--"+name+" ") }
		if r.IsSet(name) && !used && !slices.ContainsFunc(r.faults, faulty) {
			r.fault("--%s: there is no host to reach by ssh, such as %s", name, host)
		}
	}
}

func (r *reader) readServer(text string) {
	if text == "none" {
		r.watching.off = true
		return
	}
	host, err := readHost(text)
	if err != nil {
		r.fault("--server %w", err)
		return
	}
	if slices.Contains(r.watching.hosts, host) {
		r.fault("--server %s: given twice", text)
	}
	r.watching.hosts = append(r.watching.hosts, host)
}

// readHost is sampler.ParseHost with a word on what else may have been meant:
// httperf's --server is the one to load, and scp's hosts have no scheme.
func readHost(text string) (sampler.Host, error) {
	host, err := sampler.ParseHost(text)
	if err == nil || text == "" || strings.Contains(text, "://") {
		return host, err
	}
	hint := ""
	if _, err := plan.ParseURL("http://" + text + "/"); err == nil && !strings.Contains(text, "@") {
		hint = fmt.Sprintf("; the server to load is named by the URL: http://%s/", text)
	}
	if user, _, at := strings.Cut(text, "@"); at && !strings.Contains(user, ":") {
		hint = ", as in ssh://" + text
	} else if at { // what is before it holds a password
		text = masked(text)
	}
	return host, fmt.Errorf("%q: want local, none or ssh://[USER@]HOST[:PORT]%s", text, hint)
}

// shownHost is the host as --server has it.
func shownHost(h sampler.Host) string {
	if h.Local() {
		return h.String()
	}
	return "ssh://" + h.String()
}

// readWatching reads the options of watchFlags.
func (r *reader) readWatching() {
	w := &r.watching
	for _, text := range r.StringSlice("process") {
		s, err := sampler.ParseSelection(text)
		switch {
		case err != nil:
			r.fault("--process %w", err)
		case slices.Contains(w.selections, s):
			r.fault("--process %s: given twice", text)
		default:
			w.selections = append(w.selections, s)
		}
	}
	var interval plan.Seconds
	r.above0("sample-interval", &interval, plan.Seconds(sampler.DefaultInterval))
	w.interval = interval.Std()
	if err := (&sampler.Config{Interval: w.interval}).Validate(); err != nil {
		r.fault("--sample-interval %s: want %v or more", r.String("sample-interval"), sampler.MinInterval)
	}
	r.readSSH()
}

func (r *reader) readSSH() {
	to := &r.watching.ssh
	r.readText("identity", &to.Identity)
	if to.Identity != "" {
		if f, err := os.Open(to.Identity); err != nil {
			r.fault("--identity %w", fileError(to.Identity, err))
		} else {
			f.Close()
		}
	}
	if !r.IsSet("ssh") {
		return
	}
	words, err := splitWords(r.String("ssh"))
	if err != nil {
		r.fault("--ssh %w", err)
	}
	to.Command = words
}

// config is how one host is watched.
func (w *watching) config(host sampler.Host) sampler.Config {
	return sampler.Config{Host: host, Selections: w.selections, Interval: w.interval, SSH: w.ssh}
}
