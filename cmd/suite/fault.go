package suite

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// place is where something stands in the file, both from 1. The zero value is
// nowhere.
type place struct{ line, column int }

// places are where the values of a mapping stand, by their keys; the mapping
// itself has the empty key.
type places map[string]place

func (p places) has(key string) bool { _, has := p[key]; return has }

// of is the place of a value, of the mapping if the value is not there.
func (p places) of(key string) place {
	if at, has := p[key]; has {
		return at
	}
	return p[""]
}

// fault is something wrong with a suite.
type fault struct {
	place
	text string
}

// faults collects them.
type faults []fault

func (f *faults) add(at place, format string, args ...any) {
	*f = append(*f, fault{at, fmt.Sprintf(format, args...)})
}

// err is all faults in the order of the file, a line for each; nil if there is none.
func (f faults) err(name string) error {
	slices.SortStableFunc(f, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	var errs []error
	for _, one := range slices.Compact(f) {
		where := name
		if one.line > 0 {
			where = fmt.Sprintf("%s:%d:%d", name, one.line, one.column)
		}
		errs = append(errs, fmt.Errorf("%s: %s", where, one.text))
	}
	return errors.Join(errs...)
}

// elsewhere are the faults but for those where others are: they follow from them.
func (f faults) elsewhere(others faults) faults {
	return slices.DeleteFunc(f, func(one fault) bool {
		return slices.ContainsFunc(others, func(other fault) bool { return other.place == one.place })
	})
}
