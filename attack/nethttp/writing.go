package nethttp

import "time"

// atOnce is the size up to which a request is written before its reply is read:
// every socket's send buffer takes it (tcp(7), tcp_wmem). The reply to a larger
// one is read meanwhile, as a server may answer and read no further.
const atOnce = 4 << 10

// writing is a request on its way to the kernel.
type writing struct {
	n    int // bytes that the kernel took
	err  error
	done chan struct{} // closed at the end; nil if that was waited for
}

// write begins to write the request; a small one is written when it returns.
func (x *exchange) write() {
	if x.writing.err = x.c.SetDeadline(x.deadline); x.writing.err != nil {
		return
	}
	if x.abandon.Err() != nil {
		x.c.cut()
	}
	if len(x.bytes) <= atOnce {
		x.writeAll()
		return
	}
	x.writing.done = make(chan struct{})
	go func() { // ends when written cuts it off, at the latest
		defer close(x.writing.done)
		x.writeAll()
	}()
}

func (x *exchange) writeAll() {
	w := &x.writing
	w.n, w.err = x.c.Write(x.bytes)
}

// written ends the writing when the exchange is over otherwise, and returns the
// failure that it met by itself.
func (x *exchange) written() *failure {
	w := &x.writing
	cut := w.done != nil && !ended(w.done)
	if cut {
		_ = x.c.SetWriteDeadline(time.Unix(1, 0))
		<-w.done
	}
	cut = cut && isTimeout(w.err) // it may have met a failure first
	x.o.BytesSent = uint32(w.n)
	if w.err == nil || cut {
		return nil
	}
	return &failure{x.readingPhase(), w.err}
}

func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
