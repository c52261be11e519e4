package plan

import (
	"errors"
	"fmt"
	"net/textproto"
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
		return Field{}, fmt.Errorf("header %q: want 'Name: value'", text)
	}
	f := Field{Name: name, Value: strings.Trim(value, " \t")}
	return f, f.validate()
}

func (f Field) validate() error {
	if !httpguts.ValidHeaderFieldName(f.Name) {
		return fmt.Errorf("header name %q: want letters, digits and hyphens (RFC 9110 section 5.6.2)", f.Name)
	}
	if !httpguts.ValidHeaderFieldValue(f.Value) {
		return fmt.Errorf("header %s: value %q holds a line break or a control character", f.Name, f.Value)
	}
	if strings.EqualFold(f.Name, "Transfer-Encoding") {
		return fmt.Errorf("header %s: bodies are sent with Content-Length only", f.Name)
	}
	return nil
}

// secret says whether the field's value must not be shown in a document.
func (f Field) secret() bool {
	switch textproto.CanonicalMIMEHeaderKey(f.Name) {
	case "Authorization", "Proxy-Authorization", "Cookie":
		return true
	}
	return false
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
// once, naming the option or the target.
func (p *Plan) Resolve() error {
	if p.URL != "" {
		u, err := ParseURL(p.URL)
		if err != nil {
			return err
		}
		p.Targets = []Target{{Method: p.Method, URL: u, Header: p.Header, Body: p.Body}}
	}
	var errs []error
	for i := range p.Targets {
		errs = append(errs, p.Targets[i].complete(p))
	}
	return errors.Join(errs...)
}

// complete adds the plan's header fields to a target of a file and the header
// that a user:password in the URL stands for, then checks the whole.
func (t *Target) complete(p *Plan) error {
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
	return t.validate()
}

func (t *Target) validate() error {
	var errs []error
	if !httpguts.ValidHeaderFieldName(t.Method) || t.Method == "CONNECT" {
		errs = append(errs, fmt.Errorf("method %q: want a word such as GET or POST", t.Method))
	}
	hosts := 0
	for _, f := range t.Header {
		errs = append(errs, f.validate(), t.validateLength(f))
		if strings.EqualFold(f.Name, "Host") {
			hosts++
		}
	}
	if hosts > 1 {
		errs = append(errs, fmt.Errorf("header Host: given %d times, a request has exactly one", hosts))
	}
	return errors.Join(errs...)
}

func (t *Target) validateLength(f Field) error {
	if !strings.EqualFold(f.Name, "Content-Length") || f.Value == strconv.Itoa(len(t.Body)) {
		return nil
	}
	return fmt.Errorf("header Content-Length: %s: the body has %d bytes", f.Value, len(t.Body))
}

func (t *Target) has(name string) bool {
	for _, f := range t.Header {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
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
// Authorization and Cookie fields are replaced by ***.
func (p *Plan) Masked() *Plan {
	masked := *p
	masked.URL = maskUserinfo(p.URL)
	masked.Header = append([]Field(nil), p.Header...)
	for i := range masked.Header {
		if masked.Header[i].secret() {
			masked.Header[i].Value = "***"
		}
	}
	return &masked
}
