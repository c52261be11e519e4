package search_test

import (
	"fmt"

	"ratebench/attack/plan"
	"ratebench/attack/record"
	"ratebench/attack/search"
)

// A command makes each trial, judges it and records it. Here the runs are invented:
// a server that keeps up to 333/s answers within 10 ms.
func Example() {
	objective, err := plan.ParseObjective("p99<250ms")
	if err != nil {
		panic(err)
	}
	criteria, err := search.Criteria([]plan.Objective{objective})
	if err != nil {
		panic(err)
	}
	goal := search.Thorough()
	goal.From, _ = plan.ParseRate("50")
	s, err := search.New(goal)
	if err != nil {
		panic(err)
	}
	for trial, ok := s.Next(); ok; trial, ok = s.Next() {
		run := invented(trial) // wait until nothing is in flight, then offer trial.Rate for trial.Length
		result := search.Judge(trial, run, criteria, record.Undefined(), record.Undefined())
		if err := s.Record(result); err != nil {
			panic(err)
		}
	}
	fmt.Println(s.Answer())
	// Output:
	// capacity 329.15/s: passes there, at 336.36/s it misses p99<250ms; beyond it the server holds
}

func invented(t search.Trial) *record.Run {
	rate := t.Rate.PerSecond()
	n := uint64(rate * t.Length.Std().Seconds())
	times := record.Stats{Count: n, P50: 0.010, P99: 0.020}
	if rate > 333 && t.Purpose != search.Ceiling {
		times.P99 = 1
	}
	return &record.Run{
		Verdict: record.Verdict{Status: record.Valid},
		Summary: record.Summary{
			Planned: n, Replies: n, Window: record.Seconds(t.Length.Std()),
			ReplyRate: record.RateStats{Mean: record.Number(min(rate, 333))},
			Goodput:   record.Goodput{Share: 1, Rate: record.Number(min(rate, 333))},
			Time:      record.Times{Response: times, ResponseAll: times},
		},
	}
}
