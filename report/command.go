package report

import (
	"strconv"
	"strings"

	"ratebench/attack/plan"
)

// commandLine is the command that offers the run's plan again and holds it to the
// same objectives, quoted for a POSIX shell. What the document does not hold cannot
// be in it: bodies, masked secrets (they stand as ***), and what was watched.
func commandLine(d *Document) string {
	p := d.Plan
	words := []string{"ratebench"}
	add := func(wanted bool, option ...string) {
		if wanted {
			words = append(words, option...)
		}
	}
	addSchedule(p, add)
	addRequests(p, add)
	addConnections(p, add)
	addTLS(&p.TLS, add)
	for _, o := range d.Objectives {
		add(true, "--objective", o.Text)
	}
	add(p.URL != "", p.URL)
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return strings.Join(words, " ")
}

func addSchedule(p *plan.Plan, add func(bool, ...string)) {
	switch {
	case p.Closed():
		add(true, "--concurrency", strconv.Itoa(p.Concurrency))
	case p.Ramp != nil:
		add(true, "--ramp", p.Ramp.String())
	default:
		add(true, "--rate", p.Rate.String())
	}
	add(p.Total > 0, "--total", strconv.FormatUint(p.Total, 10))
	add(p.Duration > 0, "--duration", p.Duration.String())
	add(p.Warmup > 0, "--warmup", p.Warmup.String())
	add(p.Arrivals != plan.Uniform, "--arrivals", string(p.Arrivals), "--seed", strconv.FormatUint(p.Seed, 10))
	add(p.Timeout != plan.DefaultTimeout, "--timeout", p.Timeout.String())
	add(p.Deadline > 0, "--deadline", p.Deadline.String())
	add(p.Expect.String() != plan.Statuses{}.String(), "--expect", p.Expect.String())
}

func addRequests(p *plan.Plan, add func(bool, ...string)) {
	add(p.TargetsFile != "", "--targets", p.TargetsFile)
	add(p.TargetsFile == "" && p.Method != "" && p.Method != "GET", "-X", p.Method)
	for _, f := range p.Header {
		add(true, "-H", f.Name+": "+f.Value)
	}
}

func addConnections(p *plan.Plan, add func(bool, ...string)) {
	add(p.RequestsPerConnection == 0, "--keepalive")
	add(p.RequestsPerConnection > 1, "--requests-per-connection", strconv.Itoa(p.RequestsPerConnection))
	add(p.MaxConnections != plan.DefaultMaxConnections, "--max-connections", strconv.Itoa(p.MaxConnections))
	var sources []string
	for _, a := range p.Sources {
		sources = append(sources, a.String())
	}
	add(len(sources) > 0, "--source", strings.Join(sources, ","))
	add(p.Family != 0, "-"+strconv.Itoa(p.Family))
	add(p.UnixSocket != "", "--unix-socket", p.UnixSocket)
	add(p.HTTP2, "--http2")
	add(p.Engine == plan.EngineVegeta && !p.HTTP2, "--engine", p.Engine)
	add(p.Loops > 0, "--loops", strconv.Itoa(p.Loops))
	add(p.Timestamps == plan.TimestampsUser, "--timestamps", p.Timestamps)
	add(p.Priority != plan.PriorityAuto && p.Priority != "", "--priority", p.Priority)
}

func addTLS(t *plan.TLS, add func(bool, ...string)) {
	add(t.Insecure, "--insecure")
	add(t.CAFile != "", "--ca", t.CAFile)
	add(t.CertFile != "", "--cert", t.CertFile)
	add(t.KeyFile != "", "--key", t.KeyFile)
	add(t.ServerName != "", "--server-name", t.ServerName)
	add(t.Resume, "--tls-resume")
}

// shellWord is word as a shell reads it back: bare, in single quotes, or, if it
// holds what a terminal would obey, as $'…' (POSIX.1-2024, section 2.2.4).
func shellWord(word string) string {
	const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=+@%"
	switch {
	case word != "" && strings.Trim(word, bare) == "":
		return word
	case shown(word) == word:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := range len(word) {
		switch c := word[i]; {
		case c == '\'' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			// Octal has at most three digits; what follows cannot run into it.
			b.WriteString(`\` + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
		}
	}
	return b.String() + "'"
}
