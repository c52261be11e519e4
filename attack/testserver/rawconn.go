package testserver

import (
	"io"
	"net"
	"time"
)

// A rawConn is one connection of a Raw server, owned by its goroutine.
type rawConn struct {
	server *Raw
	tcp    *net.TCPConn
	net    net.Conn // tcp, or TLS over it
	number int
}

// serve answers until the connection ends, and closes it.
func (c *rawConn) serve() {
	defer c.forget()
	reader := newRequestReader(c.net)
	for first := true; ; first = false {
		q, err := reader.next()
		if err != nil {
			return
		}
		n := c.server.read(c.number, q.head)
		if c.server.config.IdleKill != Keep && !first {
			c.kill(c.server.config.IdleKill)
			return
		}
		if !c.answer(n) {
			return
		}
	}
}

func (c *rawConn) forget() {
	_ = c.net.Close()
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	delete(c.server.open, c.tcp)
}

// kill ends the connection at once without a byte more, not even one of TLS.
func (c *rawConn) kill(how How) {
	if how == Reset {
		_ = c.tcp.SetLinger(0)
	}
	_ = c.tcp.Close()
}

// answer replies to the n-th request and says whether the next may be read.
func (c *rawConn) answer(n int) bool {
	reply, ending := c.server.config.Reply, c.server.config.Ending
	if c.server.config.Answer != nil {
		reply, ending = c.server.config.Answer(n)
	}
	if ending.How == Drip {
		return c.drip(reply, ending.Wait)
	}
	if _, err := c.net.Write(reply); err != nil {
		return false
	}
	switch ending.How {
	case CloseFIN:
		c.finish()
	case Reset:
		c.reset()
	case Hang:
		<-c.server.closed
	case Late:
		if c.server.sleep(ending.Wait) {
			_, _ = c.net.Write(ending.More) // the client may be gone: that is its answer
			c.finish()
		}
	default:
		return true
	}
	return false
}

func (c *rawConn) drip(reply []byte, every time.Duration) bool {
	for i := range reply {
		if _, err := c.net.Write(reply[i : i+1]); err != nil || !c.server.sleep(every) {
			return false
		}
	}
	return true
}

// lastWait is how long a client is waited for: to close after FIN, to confirm before RST.
const lastWait = time.Second

// finish sends FIN and reads on until the client closes too. Closing with unread
// bytes would send RST, which may overtake the reply.
func (c *rawConn) finish() {
	_ = c.net.(interface{ CloseWrite() error }).CloseWrite() // TCP and TLS both have it
	_ = c.tcp.SetReadDeadline(time.Now().Add(lastWait))
	_, _ = io.Copy(io.Discard, c.tcp)
}

// reset sends RST when the client has the reply for certain: its kernel has
// confirmed every byte, and it had 20 ms to read them.
func (c *rawConn) reset() {
	if raw, err := c.tcp.SyscallConn(); err == nil {
		for begin := time.Now(); unacknowledged(raw) > 0 && time.Since(begin) < lastWait; {
			if !c.server.sleep(time.Millisecond) {
				return
			}
		}
	}
	if c.server.sleep(20 * time.Millisecond) {
		c.kill(Reset)
	}
}
