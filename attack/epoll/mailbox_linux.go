package epoll

import (
	"sync"

	"golang.org/x/sys/unix"
)

// mailbox brings finished handshakes, and wake-ups, to a loop.
type mailbox struct {
	fd    int // eventfd, watched by the loop
	mu    sync.Mutex
	items []handshake
	shut  bool
}

func (m *mailbox) post(h handshake) {
	m.mu.Lock()
	m.items = append(m.items, h)
	m.mu.Unlock()
	m.wake()
}

// wake makes the loop look around.
func (m *mailbox) wake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.shut {
		_, _ = unix.Write(m.fd, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	}
}

func (m *mailbox) collect() []handshake {
	m.mu.Lock()
	defer m.mu.Unlock()
	items := m.items
	m.items = nil
	return items
}

func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shut = true
	unix.Close(m.fd)
}
