package plan

import (
	"errors"
	"fmt"
)

// maxFaults bounds how many faults are listed: a file of a million bad lines
// shall not scroll its first one away.
const maxFaults = 20

// faults gathers errors to report at once: the first maxFaults in words, the
// rest as a number. The zero value holds none.
type faults struct {
	listed []error
	count  int
}

// add takes every error that is not nil.
func (f *faults) add(errs ...error) {
	for _, err := range errs {
		if err == nil {
			continue
		}
		if f.count++; f.count <= maxFaults {
			f.listed = append(f.listed, err)
		}
	}
}

// join is all faults as one error, a line each; nil if there are none.
func (f *faults) join() error {
	if more := f.count - len(f.listed); more > 0 {
		return errors.Join(append(f.listed, fmt.Errorf("and %d more", more))...)
	}
	return errors.Join(f.listed...)
}
