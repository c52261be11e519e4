package report

import (
	"bytes"
	"io"
	"time"

	"ratebench/attack/record"
	"ratebench/sampler"
)

// SampleSchema names the form and version of a Sample, its "schema" member.
const SampleSchema = "ratebench.sample/v1"

// Sample is a host that was watched without a load of ours. Its members are those
// of a Document (sample.schema.json); what a run alone has, replies for one, is
// undefined.
type Sample struct {
	Schema    string        `json:"schema"`     // SampleSchema
	StartedAt time.Time     `json:"started_at"` // all times count from it
	Version   string        `json:"version"`    // of ratebench
	Interval  record.Number `json:"interval_s"` // asked for; samples tell when they were taken
	Server    []Server      `json:"server"`
	Hosts     []Host        `json:"hosts"`
}

// NewSample has the figures of r over the whole of its time: those of a run that
// sends nothing and ends with the last reading. StartedAt and Interval are the
// caller's to set.
func NewSample(version string, r *sampler.Record) *Sample {
	d := &Document{Summary: record.Summary{Window: record.Undefined()}}
	if n := len(r.Readings); n > 0 {
		d.Summary.Elapsed = record.Seconds(r.Readings[n-1].At)
	}
	s := &Sample{Schema: SampleSchema, Version: version, Interval: record.Undefined(), Server: []Server{}, Hosts: []Host{newHost(d, r)}}
	for i := range r.Groups {
		server := newServer(d, r, i)
		server.Replies = record.Undefined()
		s.Server = append(s.Server, server)
	}
	return s
}

// WriteSample writes s as indented JSON.
func WriteSample(w io.Writer, s *Sample) error {
	whole := *s
	whole.Server, whole.Hosts = completeServers(s.Server), completeHosts(s.Hosts)
	return writeIndented(w, &whole)
}

// nameRoom bounds the names in front of the lines of a summary.
const nameRoom = 30

// WriteSampleSummary writes the sums of s for people, in the words of the text
// report: a line for each group of processes, one for the host, and what there is
// to doubt.
func WriteSampleSummary(w io.Writer, s *Sample) error {
	var names []string
	var lines [][]string
	for i := range s.Server {
		names, lines = append(names, s.Server[i].Name), append(lines, serverSum(&s.Server[i]))
	}
	for i := range s.Hosts {
		names, lines = append(names, hostTitle(s.Hosts[i].Name)), append(lines, hostSum(&s.Hosts[i]))
	}
	room := 0
	for i := range names {
		names[i] = clip(shown(names[i]), nameRoom)
		room = max(room, width(names[i]))
	}
	var b bytes.Buffer
	for i, items := range lines {
		writeItems(&b, names[i], room+len(itemGap), items)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func serverSum(s *Server) []string {
	if !s.CPU.Defined() {
		return []string{"not known"}
	}
	return append([]string{perReply(s), "in " + seconds(s.To-s.From), coresOf(s)}, append(memoryAndQuota(s), s.Source)...)
}

// hostSum has the figures that hostItems gives only where they are remarkable.
func hostSum(h *Host) []string {
	items := []string{
		busyItem(h) + " in " + seconds(h.To-h.From), "steal " + percent(h.Steal),
		dropsItem(h), samplingItem(h),
	}
	return append(append(items, lossItems(h)...), noteItems(h.Notes)...)
}
