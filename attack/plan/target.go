package plan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Field is one header line as it goes on the wire, name and value unchanged.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// ParseField reads "Name: value". The value may be empty and may hold commas;
// a line break or another control character is refused.
func ParseField(text string) (Field, error) {
	name, value, found := strings.Cut(text, ":")
	if !found {
		return Field{}, fmt.Errorf("header %q: want 'Name: value'", maskField(text))
	}
	f := Field{Name: name, Value: strings.Trim(value, " \t")}
	return f, f.validate()
}

func (f Field) validate() error {
	if !httpguts.ValidHeaderFieldName(f.Name) {
		return fmt.Errorf("header name %q: want letters, digits and hyphens (RFC 9110 section 5.6.2)", maskField(f.Name))
	}
	if !httpguts.ValidHeaderFieldValue(f.Value) {
		return fmt.Errorf("header %s: value %q holds a line break or a control character", f.Name, f.shown())
	}
	if strings.EqualFold(f.Name, "Transfer-Encoding") {
		return fmt.Errorf("header %s: bodies are sent with Content-Length only", f.Name)
	}
	return nil
}

// shown is the value as a document or an error may show it.
func (f Field) shown() string {
	if isSecret(f.Name) {
		return "***"
	}
	return f.Value
}

// Target is one request to send. The zero value is not valid; Plan.Resolve and
// ReadTargets make them.
type Target struct {
	Method string
	URL    URL
	Header []Field
	Body   []byte
}

// Resolve fills Targets from the plan's own URL, Method, Header and Body, or
// gives each target of a file what it lacks of them. It reports every fault at
// once, naming the option or the target. It is called once.
func (p *Plan) Resolve() error {
	var found faults
	if p.URL != "" {
		u, err := ParseURL(p.URL)
		found.add(err)
		p.Targets = []Target{{Method: p.Method, URL: u, Header: p.Header, Body: p.Body}}
	}
	for i := range p.Targets {
		t := &p.Targets[i]
		t.complete(p)
		for _, err := range t.check() {
			if p.URL == "" {
				err = fmt.Errorf("target %d of %s, %s %s: %w", i+1, p.TargetsFile, t.Method, t.URL, err)
			}
			found.add(err)
		}
	}
	return found.join()
}

// TargetOf is the index in Targets of the request numbered seq: they are dealt in turn.
func (p *Plan) TargetOf(seq uint64) uint32 { return uint32(seq % uint64(len(p.Targets))) }

// complete adds the plan's header fields to a target of a file, and the header
// that a user:password in the URL stands for.
func (t *Target) complete(p *Plan) {
	if p.TargetsFile != "" {
		t.Header = append(append([]Field(nil), p.Header...), t.Header...)
		if t.Body == nil {
			t.Body = p.Body
		}
	}
	if t.Method == "" {
		t.Method = "GET"
	}
	if credentials := t.URL.basicAuth(); credentials != "" && !t.has("Authorization") {
		t.Header = append(append([]Field(nil), t.Header...), Field{"Authorization", credentials})
	}
}

// check lists what is wrong with the target, apart from its URL.
func (t *Target) check() []error {
	var errs []error
	if !httpguts.ValidHeaderFieldName(t.Method) || t.Method == "CONNECT" {
		errs = append(errs, fmt.Errorf("method %q: want a word such as GET or POST", t.Method))
	}
	for _, f := range t.Header {
		if err := f.validate(); err != nil {
			errs = append(errs, err)
		}
		if err := t.validateLength(f); err != nil {
			errs = append(errs, err)
		}
	}
	for _, name := range []string{"Host", "Content-Length"} {
		if n := t.times(name); n > 1 {
			errs = append(errs, fmt.Errorf("header %s: given %d times, a request has at most one", name, n))
		}
	}
	return errs
}

func (t *Target) validateLength(f Field) error {
	if !strings.EqualFold(f.Name, "Content-Length") || f.Value == strconv.Itoa(len(t.Body)) {
		return nil
	}
	return fmt.Errorf("header Content-Length: %s: the body has %d bytes", f.Value, len(t.Body))
}

func (t *Target) has(name string) bool { return t.times(name) > 0 }

// times is how many fields of that name the target has.
func (t *Target) times(name string) (n int) {
	for _, f := range t.Header {
		if strings.EqualFold(f.Name, name) {
			n++
		}
	}
	return n
}

// validateRequests checks what Resolve does not: that there is something to send.
func (p *Plan) validateRequests() error {
	if p.URL != "" && p.TargetsFile != "" {
		return fmt.Errorf("give a URL or --targets %s, not both", p.TargetsFile)
	}
	if p.URL == "" && p.TargetsFile == "" {
		return errors.New("a URL or --targets is missing")
	}
	return nil
}

// Masked is a copy of the plan that may be shown: passwords and the values of
// Authorization and Cookie fields are replaced by ***, and the targets of a file
// are left out.
func (p *Plan) Masked() *Plan {
	masked := *p
	masked.URL = maskURL(p.URL)
	masked.Targets = nil
	masked.Header = append([]Field(nil), p.Header...)
	for i := range masked.Header {
		masked.Header[i].Value = masked.Header[i].shown()
	}
	return &masked
}
