package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"testing"
)

func TestClassOf(t *testing.T) {
	for want, errnos := range map[Class][]error{
		SocketTimeout:      {syscall.ETIMEDOUT},
		ConnectionRefused:  {syscall.ECONNREFUSED},
		ConnectionReset:    {syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED},
		FDUnavailable:      {syscall.EMFILE},
		AddressUnavailable: {syscall.EADDRNOTAVAIL, syscall.EADDRINUSE},
		FileTableFull:      {syscall.ENFILE},
		Other:              {syscall.EHOSTUNREACH, io.EOF, errors.New("connection refused"), nil},
	} {
		for _, err := range errnos {
			if got := ClassOf(err); got != want {
				t.Errorf("%v is %v, want %v", err, got, want)
			}
			if err == nil {
				continue
			}
			if got := ClassOf(fmt.Errorf("connect: %w", os.NewSyscallError("connect", err))); got != want {
				t.Errorf("wrapped, %v is %v, want %v", err, got, want)
			}
		}
	}
}

// TestClassNames: each class has a word and a key of its own, and each error
// class a field in Errors.
func TestClassNames(t *testing.T) {
	seen, e := map[string]Class{}, Errors{}
	for _, c := range append(ErrorClasses(), Reply, Aborted) {
		if c.Key() == "" || c.String() == "" {
			t.Errorf("class %d has no name", c)
		}
		if other, taken := seen[c.Key()]; taken {
			t.Errorf("classes %d and %d are both %q", c, other, c.Key())
		}
		seen[c.Key()] = c
	}
	for i, c := range ErrorClasses() {
		*e.field(c) = uint64(i) + 1
	}
	for i, c := range ErrorClasses() {
		if e.Of(c) != uint64(i)+1 {
			t.Errorf("%v shares its field", c)
		}
	}
	if len(ErrorClasses()) != 12 || slices.Contains(ErrorClasses(), Aborted) {
		t.Errorf("error classes %v", ErrorClasses())
	}
}
