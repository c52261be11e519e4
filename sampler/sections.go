package sampler

import (
	"bytes"
	"errors"
	"iter"
	"strconv"
)

var errShort = errors.New("the answer is incomplete")

// sections is the output of a cat of files with the separator after each.
type sections struct {
	text, separator []byte
}

// next takes the file up to the next separator. One without a line's end at its end
// has the separator right behind it.
func (s *sections) next() ([]byte, error) {
	file, rest, found := bytes.Cut(s.text, s.separator)
	if !found {
		return nil, errShort
	}
	s.text = rest
	return file, nil
}

// stats takes the stat files of all processes, which come without separators, apart.
// A command's name may hold anything, even line ends and parentheses (proc_pid_stat(5)),
// so a line ends where nothing but numbers stands behind a closing parenthesis.
func stats(text []byte) iter.Seq2[int32, []byte] {
	return func(yield func(int32, []byte) bool) {
		for len(text) > 0 {
			pid, length := stat(text)
			if length > 0 && !yield(pid, text[:length]) {
				return
			}
			if length == 0 { // no record: of no use, up to the next line
				length = bytes.IndexByte(text, '\n') + 1
			}
			if length == 0 {
				return
			}
			text = text[length:]
		}
	}
}

// mostName is more than the kernel prints of a name (fs/proc/array.c: 64).
const mostName = 80

// stat is the process and the length of the record at the beginning of text, or 0.
func stat(text []byte) (pid int32, length int) {
	open := bytes.Index(text[:min(len(text), 16)], []byte(" ("))
	if open < 0 {
		return 0, 0
	}
	n, err := strconv.ParseInt(string(text[:open]), 10, 32)
	if err != nil || n < 1 {
		return 0, 0
	}
	for i := open + 2; i < min(len(text), open+2+mostName); i++ {
		if text[i] != ')' {
			continue
		}
		if end := bytes.IndexByte(text[i:], '\n'); end > 0 && isStatTail(text[i+1:i+end]) {
			return int32(n), i + end + 1
		}
	}
	return 0, 0
}

// isStatTail says whether text is a state and at least the numbers up to the
// start time, which a name of 15 bytes has no room for.
func isStatTail(text []byte) bool {
	if len(text) < 3 || text[0] != ' ' || text[2] != ' ' {
		return false
	}
	numbers := 0
	for i, c := range text[3:] {
		if c != ' ' && c != '-' && (c < '0' || c > '9') {
			return false
		}
		if c != ' ' && text[3+i-1] == ' ' {
			numbers++
		}
	}
	return numbers >= 19
}

// statuses takes status files, which come without separators, apart. The kernel
// escapes the name in them, so that no other line begins like the first.
func statuses(text []byte) iter.Seq2[int32, []byte] {
	return func(yield func(int32, []byte) bool) {
		for len(text) > 0 {
			length := len(text)
			if i := bytes.Index(text, []byte("\nName:\t")); i >= 0 {
				length = i + 1
			}
			if pid := statusPID(text[:length]); pid > 0 && !yield(pid, text[:length]) {
				return
			}
			text = text[length:]
		}
	}
}

// statusPID is the process of a status file, or 0.
func statusPID(text []byte) int32 {
	_, rest, _ := bytes.Cut(text, []byte("\nPid:\t"))
	digits, _, ended := bytes.Cut(rest, []byte("\n"))
	pid, err := strconv.ParseInt(string(digits), 10, 32)
	if err != nil || !ended || pid < 1 {
		return 0
	}
	return int32(pid)
}

// owners reads ls -ln of the directories /proc/PID/fd: processes by the inode of a
// socket that they have open.
func owners(text []byte) map[uint64][]int32 {
	found := map[uint64][]int32{}
	pid := int64(0)
	for line := range bytes.Lines(text) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if name, ok := bytes.CutPrefix(line, []byte("/proc/")); ok {
			digits, _ := bytes.CutSuffix(name, []byte("/fd:"))
			pid, _ = strconv.ParseInt(string(digits), 10, 32) // 0 if it is no process's
			continue
		}
		_, target, _ := bytes.Cut(line, []byte(" -> socket:["))
		inode, err := strconv.ParseUint(string(bytes.TrimSuffix(target, []byte("]"))), 10, 64)
		if err != nil || pid < 1 || line[0] != 'l' {
			continue
		}
		had := found[inode]
		if len(had) == 0 || had[len(had)-1] != int32(pid) {
			found[inode] = append(had, int32(pid))
		}
	}
	return found
}
