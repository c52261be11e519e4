package attack

import (
	"fmt"
	"net/http"
	"strings"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"ratebench/attack/record"
)

// result writes an outcome as a result of vegeta's.
func (l *Log) result(o *record.Outcome, unsent bool) {
	if l.err != nil {
		return
	}
	target := &l.plan.Targets[o.Target]
	r := vegeta.Result{
		Attack:    l.attack,
		Seq:       o.Seq - l.first,
		Timestamp: l.origin.Add(o.Due),
		Latency:   o.Response(),
		BytesIn:   o.ContentBytes,
		Error:     errorText(o, unsent),
		Method:    target.Method,
		URL:       target.URL.String(),
	}
	if o.Class == record.Reply {
		r.Code = o.Status
	}
	if o.BytesSent > 0 {
		r.BytesOut = uint64(len(target.Body))
	}
	l.note(l.encode(&r))
}

// errorText is the class and the reason of an error, and of a reply what vegeta
// itself writes: nothing for success, else the status.
func errorText(o *record.Outcome, unsent bool) string {
	switch {
	case unsent:
		return "unsent"
	case o.Class != record.Reply && o.Reason != "":
		return o.Class.String() + ": " + o.Reason
	case o.Class != record.Reply:
		return o.Class.String()
	case o.Status >= 200 && o.Status < 400:
		return ""
	}
	return strings.TrimSpace(fmt.Sprintf("%03d %s", o.Status, http.StatusText(int(o.Status))))
}
