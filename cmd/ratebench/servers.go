package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ratebench/attack/plan"
	"ratebench/report"
	"ratebench/sampler"
)

// servers are the hosts that are watched during a run: chosen and reached by
// ready, sampled from start to stop.
type servers struct {
	watching
	plan      *plan.Plan
	emergency *emergency

	asked   bool           // somebody said what to watch, so that to find nothing is an error
	watches []*watchedHost // all that ready tried
	without error          // why nothing is watched although nobody turned that off; nil if something is
}

// watchedHost is one of them.
type watchedHost struct {
	config sampler.Config
	watch  *sampler.Watch // nil if it could not be opened
	safe   func()         // it is stopped; nil as watch is
	err    error          // why not
	pulse  pulse
}

func (a *app) newServers(w watching, p *plan.Plan) *servers {
	return &servers{watching: w, plan: p, emergency: &a.emergency}
}

// ready reaches all hosts, or says in a line for each fault what is wrong. It is
// attack.Hooks.Ready: the addresses are known, nothing has been sent.
func (s *servers) ready(ctx context.Context, local bool) error {
	if err := s.choose(local); err != nil {
		return err
	}
	var opening sync.WaitGroup
	for _, h := range s.watches {
		opening.Go(func() { h.watch, h.err = sampler.Open(ctx, h.config) })
	}
	opening.Wait()
	for _, h := range s.watches {
		if h.watch != nil {
			h.safe = s.emergency.add(h.watch.Discard)
		}
	}
	if !s.asked {
		s.leaveOut()
		return nil
	}
	return errors.Join(s.unreached(), s.unfound())
}

// choose fills in what the options leave open: the hosts and the selections.
func (s *servers) choose(local bool) error {
	s.asked = len(s.hosts) > 0 || len(s.selections) > 0
	switch {
	case s.off || !s.asked && !local:
		return nil
	case len(s.hosts) == 0 && !local:
		return usageError{fmt.Errorf("--process %s: the URL is not on this machine: --server says where to look", s.selections[0])}
	case len(s.hosts) == 0:
		s.hosts = []sampler.Host{{}}
	}
	chosen := len(s.selections) == 0
	if chosen {
		s.selections = s.serving()
	}
	for _, at := range s.hosts {
		h := &watchedHost{config: s.config(at)}
		h.config.Optional, h.config.Merge = len(s.hosts) > 1 || !s.asked, chosen
		h.config.OnReading = h.pulse.beat
		s.watches = append(s.watches, h)
	}
	return nil
}

// serving are the processes that listen where the plan's connections go.
func (s *servers) serving() (found []sampler.Selection) {
	if path := s.plan.UnixSocket; path != "" {
		return []sampler.Selection{listening(path)}
	}
	for i := range s.plan.Targets {
		port := sampler.Selection{Kind: sampler.ByPort, Value: strconv.Itoa(int(s.plan.Targets[i].URL.Server.Port))}
		if !slices.Contains(found, port) {
			found = append(found, port)
		}
	}
	return found
}

// listening are the processes that listen on a socket. One of an abstract name
// (unix(7)) has no directory.
func listening(path string) sampler.Selection {
	if absolute, err := filepath.Abs(path); err == nil && path[0] != '@' {
		path = absolute
	}
	return sampler.Selection{Kind: sampler.ByUnix, Value: path}
}

// leaveOut drops hosts of which nothing was found: nobody asked for them.
func (s *servers) leaveOut() {
	s.watches = slices.DeleteFunc(s.watches, func(h *watchedHost) bool {
		if h.watch != nil && len(h.watch.Groups()) > 0 {
			return false
		}
		s.without = h.err
		if h.watch != nil {
			s.without = h.watch.Missing()
			h.watch.Stop()
			h.safe()
		}
		return true
	})
}

// unreached is why hosts could not be opened. A host without /proc is no fault:
// the run goes on without its figures.
func (s *servers) unreached() error {
	var errs []error
	for _, h := range s.watches {
		if !errors.Is(h.err, sampler.ErrNoProc) {
			errs = append(errs, h.err)
		}
	}
	return errors.Join(errs...)
}

// unfound names the selections of which no host that was reached has anything,
// if there are several; of a single one the sampler has said so itself.
func (s *servers) unfound() error {
	if len(s.watches) < 2 || s.unreached() != nil {
		return nil
	}
	var errs []error
	for _, wanted := range s.selections {
		if !slices.ContainsFunc(s.watches, func(h *watchedHost) bool { return h.has(wanted) }) {
			errs = append(errs, fmt.Errorf("%s: found on none of %s", wanted, s.names()))
		}
	}
	return errors.Join(errs...)
}

// has says whether the host has processes of a selection, or cannot tell: it is not
// read, or they may be among those of another.
func (h *watchedHost) has(wanted sampler.Selection) bool {
	return h.watch == nil || slices.ContainsFunc(h.watch.Groups(), func(g sampler.GroupInfo) bool {
		return g.Selection == wanted || h.config.Merge
	})
}

func (s *servers) names() string {
	var names []string
	for _, h := range s.hosts {
		names = append(names, h.String())
	}
	return strings.Join(names, ", ")
}

// start begins to sample. It is attack.Hooks.Origin.
func (s *servers) start(origin time.Time) {
	for _, h := range s.watches {
		if h.watch != nil {
			h.pulse.begin(h.watch.Groups())
			h.watch.Start(origin)
		}
	}
}

// cores are what the watched processes used lately, all together; ok is false
// as long as that is not known of any host.
func (s *servers) cores() (cores float64, ok bool) {
	for _, h := range s.watches {
		if used, known := h.cores(); known {
			cores, ok = cores+used, true
		}
	}
	return cores, ok
}

// cores are those of one host, not known any more once its link is lost.
func (h *watchedHost) cores() (cores float64, known bool) {
	if h.watch == nil {
		return 0, false
	}
	select {
	case <-h.watch.Lost():
		return 0, false
	default:
		return h.pulse.cores()
	}
}

// stop ends all that ready and start have begun, whether or not there was a run.
// It returns the records of the hosts that were watched.
func (s *servers) stop() []*sampler.Record {
	records := make([]*sampler.Record, len(s.watches))
	var stopping sync.WaitGroup
	for i, h := range s.watches {
		if h.watch != nil {
			stopping.Go(func() { records[i] = h.watch.Stop(); h.safe() })
		}
	}
	stopping.Wait()
	return slices.DeleteFunc(records, func(r *sampler.Record) bool { return r == nil })
}

// addTo puts the servers' figures into a run's document.
func (s *servers) addTo(d *report.Document, records []*sampler.Record) {
	report.AddServers(d, records)
	if s.without != nil {
		why, _, _ := strings.Cut(s.without.Error(), "\n")
		report.NotWatched(d, why)
	}
	for _, h := range s.watches {
		if h.watch == nil {
			report.Unwatched(d, h.config.Host.String(), h.err.Error())
		}
	}
}
