package nethttp

import (
	"fmt"
	"io"
	"net/http"

	"ratebench/attack/record"
)

// read reads one reply to its end. reusable says whether the connection may
// carry another request.
func (x *exchange) read() (reusable bool, f *failure) {
	reply, err := x.head()
	x.stampFirstByte()
	if err != nil {
		return false, &failure{x.readingPhase(), x.c.brokenOr(err)}
	}
	x.o.HeaderBytes = uint32(x.c.consumed())
	x.o.Status = uint16(reply.StatusCode)
	x.c.headLeft = -1
	n, err := io.Copy(io.Discard, reply.Body)
	x.o.Done = x.rec.Now()
	x.o.ContentBytes = uint64(n)
	x.toClose = endsByClose(reply)
	switch {
	case err != nil:
		return false, &failure{record.Transfer, x.c.endOr(err)}
	case x.toClose && x.c.missedClose():
		return false, &failure{record.Transfer, errMissedClose}
	case x.o.Crossed(reply.StatusCode, reply.Close):
		return false, &failure{record.Wait, errCrossed}
	}
	x.rec.Server(reply.Header.Get("Server"), reply.Proto)
	surplus := x.c.reader.Buffered() > 0
	return !reply.Close && !surplus && reply.StatusCode != http.StatusSwitchingProtocols, nil
}

// endsByClose says that the reply's body had no length of its own.
func endsByClose(reply *http.Response) bool {
	return reply.Body != http.NoBody && reply.ContentLength < 0 && len(reply.TransferEncoding) == 0
}

// head reads the reply's status line and header, past interim replies.
func (x *exchange) head() (*http.Response, error) {
	for {
		reply, err := http.ReadResponse(x.c.reader, x.codec)
		if err == nil {
			err = checkHead(reply)
		}
		if err != nil {
			return nil, err
		}
		if interim := reply.StatusCode >= 100 && reply.StatusCode < 200; !interim || reply.StatusCode == http.StatusSwitchingProtocols {
			return reply, nil
		}
	}
}

// checkHead refuses what the codec lets pass: another major version, whose reply
// cannot be understood (RFC 9110 section 2.5), and a status with a sign, which is
// not three digits (RFC 9112 section 4).
func checkHead(reply *http.Response) error {
	if reply.ProtoMajor != 1 {
		return fmt.Errorf("not an HTTP/1 status line: %.40q", reply.Proto+" "+reply.Status)
	}
	if c := reply.Status[0]; c < '0' || c > '9' {
		return fmt.Errorf("not a three-digit status: %.40q", reply.Proto+" "+reply.Status)
	}
	return nil
}

func (x *exchange) stampFirstByte() {
	if !x.c.firstRead.IsZero() {
		x.o.FirstByte = x.c.firstRead.Sub(x.rec.Origin())
	}
}

func (x *exchange) readingPhase() record.Phase {
	if x.o.FirstByte == record.Never {
		return record.Wait
	}
	return record.Transfer
}
