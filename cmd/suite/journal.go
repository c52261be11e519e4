package suite

import (
	"bytes"
	"os"
	"sync"
)

// maxJournal bounds a server's journal over all its starts.
const maxJournal = 1 << 20

// maxTail is what is kept of the end.
const maxTail = 4 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if surplus := len(t.text) - maxTail; surplus > 0 {
		t.text = append(t.text[:0], t.text[surplus:]...)
	}
	return len(p), nil
}

// line is the last line that is not empty.
func (t *tail) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSpace(t.text)
	return string(bytes.TrimSpace(text[bytes.LastIndexByte(text, '\n')+1:]))
}

// journal is the file of what a server says on standard error, and its end in
// memory. What does not fit is dropped: a server must not wait for it.
type journal struct {
	tail
	file *os.File
	left int64
}

// openJournal opens a journal to be continued.
func openJournal(path string) (*journal, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &journal{file: f, left: max(maxJournal-info.Size(), 0)}, nil
}

// Write never fails: a full disk is no concern of the server's.
func (j *journal) Write(p []byte) (int, error) {
	j.tail.Write(p)
	j.mu.Lock()
	defer j.mu.Unlock()
	fitting := p[:min(int64(len(p)), j.left)]
	if n, err := j.file.Write(fitting); err == nil {
		j.left -= int64(n)
	}
	return len(p), nil
}

func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	_ = j.file.Close() // nothing that the comparison needs is in it
}
