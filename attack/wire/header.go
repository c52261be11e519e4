package wire

import (
	"bytes"
	"fmt"
)

// start takes the first bytes of a reply: the whole header block, if it is there.
func (r *Reply) start(b []byte) (n int, err error) {
	if n = r.recall(b); n > 0 {
		return n, nil
	}
	for n < len(b) && r.state <= fieldLine && err == nil {
		var used int
		used, err = r.headLine(b[n:])
		n += used
	}
	if r.state > fieldLine && err == nil {
		r.remember(b[:n])
	}
	return n, err
}

// headLine takes bytes up to the end of a line of the header block, the status
// line included, and judges the line once it is whole.
func (r *Reply) headLine(b []byte) (n int, err error) {
	line, n, whole := cutLine(b)
	if len(r.partial)+len(line) > maxLine {
		return r.longLine(b)
	}
	if r.HeaderBytes += n; r.HeaderBytes > MaxHeaderBytes {
		return n, errHeaderTooLong
	}
	if line = r.join(line, whole); !whole {
		return n, nil
	}
	return n, r.judge(dropCR(line))
}

// cutLine is the first line of b without its LF and the number of bytes that it
// takes up with it; whole is false if its end has not come yet.
func cutLine(b []byte) (line []byte, n int, whole bool) {
	if end := bytes.IndexByte(b, '\n'); end >= 0 {
		return b[:end], end + 1, true
	}
	return b, len(b), false
}

// join puts the start of the line that came before in front of line. What is not
// whole is kept for the next call; what is, is valid until then.
func (r *Reply) join(line []byte, whole bool) []byte {
	if !whole || len(r.partial) > 0 {
		r.partial = append(r.partial, line...)
		line = r.partial
	}
	if whole {
		r.partial = r.partial[:0]
	}
	return line
}

// longLine keeps memory bounded: the first maxLine bytes of a field line are
// judged and dropped, and the rest is read as a folded line of the same field.
// That is sound for fields whose value does not matter; others are refused at the
// end of the block, where their faults count.
func (r *Reply) longLine(b []byte) (n int, err error) {
	if r.state == statusLine {
		return 0, errLineTooLong
	}
	n = maxLine - len(r.partial)
	if r.HeaderBytes += n; r.HeaderBytes > MaxHeaderBytes {
		return n, errHeaderTooLong
	}
	r.partial = append(r.partial, b[:n]...)
	if err = r.judge(r.partial); err != nil && bytes.IndexByte(r.partial, ':') < 0 {
		err = errLineTooLong
	}
	r.partial = append(r.partial[:0], ' ')
	r.tooLong()
	return n, err
}

func (r *Reply) judge(line []byte) error {
	if r.state == statusLine {
		return r.statusLine(line)
	}
	return r.fieldLine(line)
}

// statusLine reads "HTTP/1.1 200 OK" (RFC 9112 section 4); the reason and the
// blank before it may be missing, and more than one blank may follow the version.
func (r *Reply) statusLine(line []byte) error {
	if len(line) < 9 || string(line[:7]) != "HTTP/1." || !isDigit(line[7]) || line[8] != ' ' {
		return fmt.Errorf("not an HTTP/1 status line: %.40q", line)
	}
	code := line[9:]
	for len(code) > 0 && code[0] == ' ' {
		code = code[1:]
	}
	if len(code) < 3 || !isDigit(code[0]) || !isDigit(code[1]) || !isDigit(code[2]) || len(code) > 3 && code[3] != ' ' {
		return fmt.Errorf("not a three-digit status: %.40q", line)
	}
	r.Minor = int(line[7] - '0')
	r.Status = int(code[0]-'0')*100 + int(code[1]-'0')*10 + int(code[2]-'0')
	r.state = fieldLine
	return nil
}

// fieldLine reads one field line, or the blank one that ends the block.
func (r *Reply) fieldLine(line []byte) error {
	if len(line) == 0 {
		return r.endOfHeader()
	}
	if isBlank(line[0]) {
		return r.foldedLine(line)
	}
	r.settle()
	n := nameLen(line)
	if n == 0 || !isText(line) {
		return notField(line)
	}
	if r.last = kindOf(line[:n]); r.last != otherField {
		r.value = append(r.value[:0], trim(line[n+1:])...)
	}
	return nil
}

// foldedLine continues the last field: the line break and the blanks around it
// stand for one blank (RFC 9112 section 5.2).
func (r *Reply) foldedLine(line []byte) error {
	if r.last == noField || !isText(line) {
		return notField(line)
	}
	if r.last == otherField {
		return nil
	}
	r.value = append(append(r.value, ' '), trim(line)...)
	if len(r.value) > maxLine {
		r.tooLong()
	}
	return nil
}

// tooLong gives up the value of the last field; if it mattered, the reply is refused.
func (r *Reply) tooLong() {
	if r.last != otherField && r.last != serverField && r.header.fault == nil {
		r.header.fault = errLineTooLong
	}
	r.last = otherField
}

func notField(line []byte) error { return fmt.Errorf("not a header line: %.40q", line) }
