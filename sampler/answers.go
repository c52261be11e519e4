package sampler

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// What is kept of a host's output at most.
const (
	mostNoise  = 64 << 10 // before the loop's first word
	mostAnswer = 32 << 20 // mostProcesses with all that they are found by
)

// answer is what the loop wrote before the mark with the number of the request.
// The first has number 0.
type answer struct {
	number uint64
	text   []byte
	at     time.Time // when the mark had come
}

// receive reads what ssh writes until its end, and waits for it.
func (l *link) receive(in *bufio.Reader) {
	err := l.receiveHello(in)
	for err == nil {
		l.greeted = true
		err = l.receiveAnswer(in, nil)
	}
	slow := time.AfterFunc(endPatience, l.kill)
	if _, ok := err.(*endError); !ok {
		l.kill()
	}
	status := l.process.Wait()
	slow.Stop()
	l.out.Close()
	l.why = err
	if end, ok := err.(*endError); ok {
		l.printed = end.noise
		l.why = l.trouble(status)
	}
	close(l.ended)
}

// receiveHello reads past what a login prints before the loop speaks.
func (l *link) receiveHello(in *bufio.Reader) error {
	var noise []byte
	for len(noise) < mostNoise {
		line, err := in.ReadSlice('\n')
		word, ours := bytes.CutPrefix(line, []byte(l.mark+" "))
		switch {
		case ours && bytes.HasPrefix(word, []byte("no ")):
			return lacks(string(bytes.TrimSpace(word[3:])))
		case ours:
			return l.receiveAnswer(in, bytes.Clone(word))
		}
		noise = append(noise, line...)
		if err != nil && err != bufio.ErrBufferFull {
			return &endError{noise}
		}
	}
	return fmt.Errorf("the host runs something else than the sampler: it printed %s", oneLine(string(noise)))
}

// lacks is the error that the host has no such thing.
func lacks(what string) error {
	if what == "/proc" {
		return ErrNoProc
	}
	return fmt.Errorf("the host has no %s, which the sampler needs", plain(what))
}

// receiveAnswer reads to the next mark, after the text that is there already, and
// hands the answer over in the place of one that nobody waited for.
func (l *link) receiveAnswer(in *bufio.Reader, text []byte) error {
	mark := []byte(l.mark + " ")
	for fresh := true; len(text) < mostAnswer; {
		line, err := in.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			return &endError{}
		}
		if number, ours := bytes.CutPrefix(line, mark); ours && fresh {
			n, _ := strconv.ParseUint(string(bytes.TrimSpace(number)), 10, 64) // what is no number answers nothing
			l.deliver(answer{n, text, time.Now()})
			return nil
		}
		text = append(text, line...)
		fresh = err == nil
	}
	return fmt.Errorf("the host answered with more than %d MiB", mostAnswer>>20)
}

// deliver never waits: there is one sender and room for one.
func (l *link) deliver(a answer) {
	select {
	case <-l.answers:
	default:
	}
	l.answers <- a
}

// await waits for the answer with a number. Earlier ones come late, to requests that
// were given up.
func (l *link) await(ctx context.Context, number uint64) (answer, error) {
	for {
		select {
		case a := <-l.answers:
			if a.number == number {
				return a, nil
			}
		case <-l.ended:
			return answer{}, &lostError{l.why}
		case <-ctx.Done():
			return answer{}, noAnswer(ctx.Err())
		}
	}
}

func noAnswer(err error) error { return fmt.Errorf("no answer: %w", err) }

// endError is the end of ssh's output, after noise if the loop never spoke.
type endError struct{ noise []byte }

func (*endError) Error() string { return "end of output" }

// oneLine makes text from elsewhere fit to be shown: quoted, with nothing that a
// terminal would obey, and short.
func oneLine(text string) string {
	const most = 160
	text = strings.TrimSpace(text)
	if text == "" {
		return "nothing"
	}
	quoted, more := strconv.QuoteToGraphic(text[:min(len(text), most)]), len(text) > most
	for ; len(quoted) > 2*most; more = true {
		text = text[:min(len(text), most)/2]
		quoted = strconv.QuoteToGraphic(text)
	}
	if more {
		quoted += " and more"
	}
	return quoted
}
