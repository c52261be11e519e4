package wire

import (
	"strings"
	"testing"
)

const nginxReply = "HTTP/1.1 200 OK\r\n" +
	"Server: nginx/1.26.3\r\n" +
	"Date: Mon, 05 Jan 2026 10:11:12 GMT\r\n" +
	"Content-Type: text/html\r\n" +
	"Content-Length: 12\r\n" +
	"Last-Modified: Sun, 04 Jan 2026 09:08:07 GMT\r\n" +
	"Connection: keep-alive\r\n" +
	"ETag: \"695a2c97-c\"\r\n" +
	"Accept-Ranges: bytes\r\n" +
	"\r\n" +
	"Hello World!"

// BenchmarkReply reads a whole reply of nginx, 250 bytes, as one read brings it:
// with the header block of the reply before, and with another one each time.
func BenchmarkReply(b *testing.B) {
	b.Run("same", func(b *testing.B) { read(b, []byte(nginxReply), []byte(nginxReply)) })
	b.Run("other", func(b *testing.B) {
		read(b, []byte(nginxReply), []byte(strings.Replace(nginxReply, "10:11:12", "10:11:13", 1)))
	})
}

func read(b *testing.B, replies ...[]byte) {
	var r Reply
	b.ReportAllocs()
	b.SetBytes(int64(len(replies[0])))
	for i := 0; b.Loop(); i ^= 1 {
		r.Reset(false)
		if used, done, err := r.Feed(replies[i]); used != len(replies[i]) || !done || err != nil {
			b.Fatal(used, done, err)
		}
	}
}
