package search

import (
	"slices"
	"strings"
	"testing"

	"ratebench/attack/record"
)

func TestBehaviour(t *testing.T) {
	for _, c := range []struct {
		good []record.Number
		want Behaviour
	}{
		{[]record.Number{90, 90, 10}, Holds},
		{[]record.Number{89.9}, Degrades},
		{[]record.Number{50}, Degrades},
		{[]record.Number{49.9}, Collapses},
		{[]record.Number{0, 200}, Holds},
		{[]record.Number{record.Undefined(), 60}, Degrades},
		{[]record.Number{record.Undefined()}, ""},
		{nil, ""},
	} {
		v := vote{good: c.good, goodput: []record.Number{1000}}
		if got := v.beyond(100, seconds(4)); got.Behaviour != c.want || (got.Why == "") != (c.want != "") {
			t.Errorf("good replies %v: %+v", c.good, got)
		}
	}
	v := vote{good: []record.Number{1}}
	if got := v.beyond(record.Undefined(), seconds(4)); got.Behaviour != "" {
		t.Errorf("without a peak: %+v", got)
	}
}

// A queue that is worth a word takes a tenth of the trial's length.
func TestQueued(t *testing.T) {
	for goodput, want := range map[record.Number]record.Number{100: 0, 150: 2, 125: 1, 109: 0, 90: 0} {
		v := vote{good: []record.Number{100}, goodput: []record.Number{goodput}}
		b := v.beyond(100, seconds(4))
		if b.Queue != want {
			t.Errorf("goodput %v: %+v", goodput, b)
		}
		text := Answer{Outcome: Found, Behaviour: b.Behaviour, Beyond: []Beyond{b}}.String()
		if said := strings.Contains(text, "; beyond it the server holds, with a queue of "); said != (want > 0) {
			t.Errorf("goodput %v: %s", goodput, text)
		}
	}
}

// What a search that was broken off has not looked at, it does not know: neither the
// rate whose trials were not all made, nor what the server does beyond the answer.
func TestBehaviourThatIsNotKnown(t *testing.T) {
	g := short(t)
	g.Lengths.Overload, g.BestOverload = seconds(1), 3
	whole := drive(t, g, (&server{capacity: 333, beyond: 1}).run)
	first := slices.IndexFunc(whole.Trials, func(r Result) bool { return r.Trial.Purpose == Overload })
	for made := first; made <= len(whole.Trials); made++ {
		s, err := New(g)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range whole.Trials[:made] {
			if trial, _ := s.Next(); trial != r.Trial {
				t.Fatalf("%+v, want %+v", trial, r.Trial)
			}
			if err := s.Record(r); err != nil {
				t.Fatal(err)
			}
		}
		s.Next()
		s.BreakOff("interrupted")
		a, ended := s.Answer(), len(s.Beyond)
		switch {
		case len(a.Beyond) != 2:
			t.Errorf("after %d trials: %+v", made, a)
		case ended == 2 && (a.Behaviour != Holds || !strings.HasSuffix(a.String(), "beyond it the server holds")):
			t.Errorf("after all trials: %v", a)
		case ended < 2 && (a.Behaviour != "" || a.Beyond[1].Why != "interrupted" || !strings.HasSuffix(a.String(), "; beyond it not known: interrupted")):
			t.Errorf("after %d trials: %v, %+v", made, a, a)
		case ended == 1 && a.Beyond[0].Behaviour != Holds:
			t.Errorf("what was looked at is forgotten: %+v", a)
		}
	}
}

// A server that does not recover after the answer is found says nothing about rates
// that were not tried.
func TestBehaviourOfWhatDoesNotRecover(t *testing.T) {
	g := short(t)
	g.Lengths.Overload, g.BestOverload = seconds(1), 3
	v := &server{capacity: 333, beyond: 1}
	overloaded := false
	s := drive(t, g, func(trial Trial) Result {
		r := v.run(trial)
		overloaded = overloaded || trial.Purpose == Overload
		if trial.Purpose == Sentinel && overloaded {
			spoil(&r)
		}
		return r
	})
	a := s.Answer()
	if a.Outcome != Found || a.Behaviour != "" || len(a.Beyond) != 2 || a.Beyond[0].Why != "the server had not recovered" ||
		!strings.Contains(a.String(), "; beyond it not known: the server had not recovered; the server did not recover from trial ") {
		t.Errorf("%v: %+v", a, a)
	}
}

func TestOverload(t *testing.T) {
	with := func(most string) Goal {
		g := short(t)
		g.Lengths.Overload, g.BestOverload = seconds(1), 3
		if most != "" {
			g.Most = rateFrom(t, most)
		}
		return g
	}
	for share, want := range map[float64]Behaviour{1: Holds, 0.98: Holds, 0.8: Degrades, 0.5: Degrades, 0.4: Collapses, 0: Collapses} {
		s := drive(t, with(""), (&server{capacity: 333, beyond: share}).run)
		a := s.Answer()
		if a.Behaviour != want || len(a.Beyond) != 2 || a.Beyond[0].Rate != 385.55 || a.Beyond[1].Rate != 462.66 {
			t.Errorf("goodput of %v: %+v", share, a)
		}
		if !strings.HasSuffix(a.String(), "beyond it the server "+string(want)) {
			t.Errorf("said as %q", a)
		}
		if last := s.Trials[len(s.Trials)-1].Trial; last.Purpose != Sentinel {
			t.Errorf("the search leaves with %+v, not with a look at the server", last)
		}
	}
	s := drive(t, with("400"), (&server{capacity: 333, beyond: 1}).run)
	if a := s.Answer(); a.Behaviour != Holds || a.Beyond[1].Why != "above the highest rate allowed, 400/s" || !strings.HasSuffix(a.String(), "; beyond it the server holds as far as was tried") {
		t.Errorf("%+v", a)
	}
	s = drive(t, with(""), (&server{capacity: 333, beyond: 1, client: 410}).run)
	if a := s.Answer(); a.Outcome != Found || a.Behaviour != Holds || a.Beyond[1].Why != "the client was the limit" {
		t.Errorf("%+v", a)
	}
	g := with("")
	g.Lengths.Ceiling = seconds(1)
	s = drive(t, g, (&server{capacity: 333, beyond: 1, client: 600}).run)
	if a := s.Answer(); a.Outcome != Found || a.Beyond[1].Why != "the client was the limit" {
		t.Errorf("%+v\n%s", a, told(s))
	}
}
