package testserver

import (
	"net"
	"sync"
)

// A Server is a running test server. Its methods may be called from any goroutine.
type Server struct {
	config   Config
	clock    clock
	listener *net.TCPListener
	alarm    *alarm
	inbox    *inbox
	count    *counters
	log      *departureLog
	refusals *dealer // of the accepting goroutine
	workers  sync.WaitGroup
	dispatch *dispatcher
	closing  sync.Once
	closeErr error
}

// Start checks the configuration, listens and serves. The configuration is not to
// be changed any more. Errors are those of Validate, of listening and of the system's
// timers. The caller ends the server with Close.
func Start(c Config) (*Server, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	listener, err := listen(c.Listen)
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, clock: newClock(), listener: listener, count: newCounters(), log: newDepartureLog(c.Log)}
	s.refusals = newDealer(c.Fail, FailRefuse)
	if err := s.startDispatcher(); err != nil {
		_ = listener.Close()
		return nil, err
	}
	s.workers.Go(func() { acceptEach(listener, s.accept) }) // ends when Close closes the listener
	return s, nil
}

func (s *Server) startDispatcher() error {
	var err error
	if s.alarm, err = newAlarm(s.clock); err != nil {
		return err
	}
	s.inbox = &inbox{clock: s.clock, alarm: s.alarm}
	s.dispatch = &dispatcher{
		config:  &s.config,
		clock:   s.clock,
		inbox:   s.inbox,
		count:   s.count,
		log:     s.log,
		queue:   newQueue(&s.config),
		fates:   newDealer(s.config.Fail, FailStatus, FailReset, FailTruncate, FailHang),
		replies: newReplies(s.config.Size),
		conns:   map[*conn]struct{}{},
	}
	prepared := make(chan error)
	s.workers.Go(func() { // ends when Close closes the inbox
		err := s.alarm.prepare()
		prepared <- err
		if err == nil {
			s.dispatch.run()
		}
	})
	if err := <-prepared; err != nil {
		s.alarm.close()
		return err
	}
	return nil
}

func (s *Server) accept(tcp *net.TCPConn) {
	s.count.connections.Add(1)
	if s.refusals.next() == FailRefuse {
		s.count.failed[FailRefuse].Add(1)
		_ = tcp.SetLinger(0) // closing then sends RST
		_ = tcp.Close()
		return
	}
	s.open(tcp)
}

// open starts the reader of a new connection.
func (s *Server) open(tcp *net.TCPConn) {
	c, err := newConn(tcp, s.config.TLS)
	if err != nil || !s.inbox.post(news{what: isOpened, conn: c}) {
		_ = tcp.Close()
		return
	}
	s.workers.Go(func() { c.read(s.inbox, s.config.Log > 0) }) // ends when the dispatcher ends the connection
}

// Addr is the address listened on, with the port chosen.
func (s *Server) Addr() *net.TCPAddr { return s.listener.Addr().(*net.TCPAddr) }

// URL is the address as a URL that ends in a slash.
func (s *Server) URL() string {
	scheme := "http"
	if s.config.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + s.listener.Addr().String() + "/"
}

// Stats is what has been counted so far; it stays readable after Close.
func (s *Server) Stats() Stats { return s.count.stats() }

// Departures are the first Config.Log requests that left the queue, in that order.
func (s *Server) Departures() []Departure { return s.log.all() }

// Now is the present on the server's clock.
func (s *Server) Now() int64 { return s.clock.now() }

// Close stops listening, ends every connection whatever is in service, and returns
// when every goroutine of the server has ended. It may be called more than once.
func (s *Server) Close() error {
	s.closing.Do(func() {
		s.closeErr = s.listener.Close()
		s.inbox.close()
		s.workers.Wait()
		s.dispatch.writers.Wait()
		s.alarm.close()
	})
	return s.closeErr
}
