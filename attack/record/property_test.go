package record

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"ratebench/attack/plan"
)

// TestRandomRuns plays runs in which anything may happen to a request, over one
// to four shards, and compares every count with one made from the outcomes.
func TestRandomRuns(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 7))
		r := randomRun(random)
		run := r.run(t)
		if err := r.agrees(run); err != nil {
			t.Errorf("seed %d, %d shards, stop %v: %v", seed, r.shards, r.stop, err)
		}
	}
}

// TestRandomRunsDisagree: the comparison notices a run of one outcome less.
func TestRandomRunsDisagree(t *testing.T) {
	r := randomRun(rand.New(rand.NewPCG(1, 7)))
	run := r.run(t)
	r.outcomes = r.outcomes[:len(r.outcomes)-1]
	if r.agrees(run) == nil {
		t.Error("a run with one outcome more agrees")
	}
}

func randomRun(random *rand.Rand) *rehearsal {
	rates := []string{"0.7", "3", "40", "300", "700"}
	p := mustPlan(rates[random.IntN(len(rates))], 1+random.Uint64N(400))
	p.Duration = plan.Seconds(12 * time.Second)
	p.Seed = random.Uint64()
	p.Timeout = plan.Seconds(2 * time.Second)
	p.Deadline = plan.Seconds(300 * time.Millisecond)
	if random.IntN(2) == 0 {
		p.Arrivals = plan.Poisson
	}
	if random.IntN(3) == 0 {
		p.Warmup = plan.Seconds(time.Second)
	}
	r := rehearse(p, func(o *Outcome) { anything(random, p, o) })
	r.shards, r.shuffled = 1+random.IntN(4), random.IntN(2) == 0
	if random.IntN(3) == 0 {
		r.interrupt(random)
	}
	if r.shuffled {
		random.Shuffle(len(r.outcomes), func(i, j int) { r.outcomes[i], r.outcomes[j] = r.outcomes[j], r.outcomes[i] })
	}
	return r
}

// anything makes a random end of o within the timeout.
func anything(random *rand.Rand, p *plan.Plan, o *Outcome) {
	d := time.Duration(math.Exp(random.Float64() * math.Log(float64(p.Timeout.Std()))))
	reply(o, d)
	o.Sent += d / 8
	o.FirstByte -= d / 8
	o.Status = []uint16{200, 200, 200, 304, 404, 503}[random.IntN(6)]
	o.BytesSent, o.HeaderBytes, o.ContentBytes = 77, 200, random.Uint64N(5000)
	if random.IntN(4) > 0 {
		return
	}
	o.Status, o.Class, o.Phase = 0, Class(1+random.IntN(int(Classes)-1)), Phase(random.IntN(int(Phases)))
	if o.Class == ClientTimeout {
		o.Done = o.Due + p.Timeout.Std()
	}
	if o.Phase == Queued || o.Class == FDUnavailable {
		o.Sent = Never
	}
}

// interrupt stops the run somewhere: later requests are not sent, those in
// flight half a second after it are aborted.
func (r *rehearsal) interrupt(random *rand.Rand) {
	r.stop = 1 + time.Duration(random.Float64()*float64(r.plan.Window()))
	r.shuffled = false
	r.outcomes = slices.DeleteFunc(r.outcomes, func(o Outcome) bool { return o.Due > r.stop })
	for i := range r.outcomes {
		if o := &r.outcomes[i]; o.Done > r.stop+500*time.Millisecond {
			o.Done, o.Class = max(r.stop+500*time.Millisecond, o.Due), Aborted
		}
	}
}

// agrees compares a run with what its outcomes say when they are counted one by one.
func (r *rehearsal) agrees(run *Run) error {
	if err := r.agreeSeconds(run); err != nil {
		return err
	}
	s, p := &run.Summary, r.plan
	status, phases := map[string]uint64{}, map[string]uint64{}
	var sent, good, sentIn, repliesIn, content uint64
	var times, services, lags, waits oracle
	var last, inSystem time.Duration
	window := p.Window()
	if s.Window != Seconds(window) {
		if window = r.stop; p.Arrivals == plan.Uniform {
			window = p.Rate.At(p.Rate.Before(r.stop + 1))
		}
		if lived := min(window, r.stop); s.ReplyRate.Samples != int(lived/time.Second) {
			return fmt.Errorf("%d full seconds in %v", s.ReplyRate.Samples, lived)
		}
	}
	if s.Window != Seconds(window) {
		return fmt.Errorf("window %v, want %v", s.Window, window)
	}
	for i := range r.measured() {
		o := &r.measured()[i]
		last, inSystem = max(last, o.Done), inSystem+o.Done-o.Due
		if o.Sent != Never {
			sent++
			sentIn += count(o.Sent < window)
			lags = append(lags, o.Sent-o.Due)
		}
		if o.Class == ClientTimeout {
			phases[o.Phase.String()]++
		}
		if o.Class != Reply {
			continue
		}
		status[strconv.Itoa(int(o.Status))]++
		good += count(o.Done-o.Due <= p.Deadline.Std() && o.Status < 400)
		repliesIn += count(o.Done < window)
		content += o.ContentBytes
		times, services = append(times, o.Done-o.Due), append(services, o.Done-o.Sent)
		waits = append(waits, o.FirstByte-o.Sent)
	}
	for phase := range s.TimeoutPhase {
		phases[phase] += 0
	}
	got := fmt.Sprint(s.Sent, s.Goodput.Count, s.Bytes.Content, s.Status, s.TimeoutPhase, s.Elapsed)
	if want := fmt.Sprint(sent, good, content, status, phases, Seconds(last)); got != want {
		return fmt.Errorf("counted %s, want %s", got, want)
	}
	for name, rate := range map[string]struct {
		got Number
		n   uint64
	}{"sent": {s.SentRate, sentIn}, "reply": {s.ReplyRate.Mean, repliesIn}, "good": {s.Goodput.Rate, good}} {
		if want := float64(rate.n) / window.Seconds(); math.Abs(float64(rate.got)-want) > 1e-6*want {
			return fmt.Errorf("%s rate %v, want %v", name, rate.got, want)
		}
	}
	for i, o := range []oracle{times, services, lags, waits} {
		if err := compare([]Stats{s.Time.Response, s.Time.Service, s.Time.SendLag, s.Time.Wait}[i], o); err != nil {
			return fmt.Errorf("row %d of the times: %w", i, err)
		}
	}
	if len(r.measured()) > 0 && math.Abs(float64(s.InFlight.Little)*float64(last)/float64(inSystem)-1) > 1e-9 {
		return fmt.Errorf("Little's number is %v", s.InFlight.Little)
	}
	return r.agreeInFlight(run)
}

func count(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

// compare is the oracle's judgement of figures that came through the recorder.
func compare(s Stats, o oracle) error {
	h := o.histogram()
	if err := o.check(h); err != nil {
		return err
	}
	if want := h.Stats(); fmt.Sprint(want) != fmt.Sprint(s) {
		return fmt.Errorf("%+v, want %+v", s, want)
	}
	return nil
}

// measured are the outcomes that count.
func (r *rehearsal) measured() []Outcome {
	return slices.DeleteFunc(slices.Clone(r.outcomes), func(o Outcome) bool { return o.Due < 0 })
}

// agreeSeconds compares the series second by second.
func (r *rehearsal) agreeSeconds(run *Run) error {
	want := make([]Interval, len(run.Intervals))
	times := make([]oracle, len(want))
	for _, o := range r.measured() {
		ended := &want[secondOf(o.Done)]
		if o.Sent != Never {
			want[secondOf(o.Sent)].Sent++
		}
		switch {
		case o.Class == Aborted:
			ended.Aborted++
		case o.Class != Reply:
			ended.Errors++
			ended.Timeouts += count(o.Class == ClientTimeout)
		default:
			ended.Replies++
			times[secondOf(o.Done)] = append(times[secondOf(o.Done)], o.Done-o.Due)
		}
	}
	for i := range want {
		w, v := &want[i], run.Intervals[i]
		if w.Sent != v.Sent || w.Replies != v.Replies || w.Errors != v.Errors || w.Timeouts != v.Timeouts || w.Aborted != v.Aborted {
			return fmt.Errorf("second %d: %+v, want %+v", i, v, *w)
		}
		if r.shuffled { // late ends have no place in a second's percentiles
			continue
		}
		for thousandths, got := range map[int]Number{500: v.P50, 990: v.P99, 1000: v.Max} {
			if len(times[i]) == 0 && got.Defined() || len(times[i]) > 0 && !near(got, times[i].quantile(thousandths)) {
				return fmt.Errorf("second %d: %d/1000 of %d replies is %v", i, thousandths, len(times[i]), got)
			}
		}
	}
	return nil
}

// agreeInFlight compares mean and peak where they are exact: one shard that
// heard of every end in order.
func (r *rehearsal) agreeInFlight(run *Run) error {
	if r.shuffled || r.shards > 1 || len(r.measured()) == 0 {
		return nil
	}
	in := run.Summary.InFlight
	if math.Abs(float64(in.Mean/in.Little)-1) > 1e-9 {
		return fmt.Errorf("mean in flight %v, by Little's law %v", in.Mean, in.Little)
	}
	var peak uint64
	outcomes := r.measured()
	for _, at := range outcomes { // the number is greatest at some due time
		var n uint64
		for _, o := range outcomes {
			n += count(o.Due <= at.Due && o.Done >= at.Due)
		}
		peak = max(peak, n)
	}
	if in.Peak != peak {
		return fmt.Errorf("peak in flight %d, want %d", in.Peak, peak)
	}
	return nil
}
