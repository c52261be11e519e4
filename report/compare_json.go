package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteCompareJSON writes the comparison as WriteJSON does a run.
func WriteCompareJSON(w io.Writer, c *Comparison) error {
	whole := *c
	whole.Servers, whole.Loads, whole.Results = orNone(c.Servers), orNone(c.Loads), orNone(c.Results)
	whole.Trials = orNone(slices.Clone(c.Trials))
	for i := range whole.Trials {
		if t := &whole.Trials[i]; t.Run != nil {
			run := complete(*t.Run)
			t.Run = &run
		}
	}
	return writeIndented(w, &whole)
}

// readComparison is ReadSaved of a comparison. Its results are computed again, from
// its trials. name is escaped.
func readComparison(name string, text []byte) (*Comparison, error) {
	c := new(Comparison)
	if err := readForm(name, text, CompareSchema, c); err != nil {
		return nil, err
	}
	for i := range c.Trials {
		t := &c.Trials[i]
		if err := c.checkTrial(t); err != nil {
			first, _, _ := strings.Cut(err.Error(), "\n")
			return nil, fmt.Errorf("%s: trial %d: %s", name, t.Place, shown(first))
		}
	}
	AddResults(c)
	return c, nil
}

func (c *Comparison) checkTrial(t *CompareTrial) error {
	switch {
	case !slices.ContainsFunc(c.Servers, func(s CompareServer) bool { return s.Name == t.Server }):
		return fmt.Errorf("of server %q, which is not among the servers", t.Server)
	case !slices.ContainsFunc(c.Loads, func(l CompareLoad) bool { return l.Name == t.Load }):
		return fmt.Errorf("of load %q, which is not among the loads", t.Load)
	case t.Block > c.Suite.Repeat:
		return fmt.Errorf("of block %d of %d", t.Block, c.Suite.Repeat)
	case t.Run == nil && t.Failure == "":
		return errors.New("has neither a run nor a reason why")
	case t.Run == nil:
		return nil
	}
	return t.Run.Summary.Check()
}
