package resumption

import "context"

// Deliver sends a message that belongs to no call, on one of the streams that the client
// opened to listen. It calls message with the context of the request that opened the stream,
// which doesn't end before the message is sent. A nil message is not sent. Deliver reports
// false if no stream has a connection.
func (s *Session) Deliver(message func(context.Context) []byte) bool {
	for {
		stream := s.listener()
		if stream == nil {
			return false
		}
		if stream.deliver(message) {
			return true
		}
	}
}

// Listens reports whether a stream that the client opened to listen has a connection.
func (s *Session) Listens() bool { return s.listener() != nil }

// listener returns a connected stream that the client opened to listen, or nil.
func (s *Session) listener() *Stream {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, stream := range s.listening {
		if stream.live {
			return stream
		}
	}
	return nil
}

// EndListening ends the connections of the streams that the client opened to listen, and of
// those that another process runs.
func (s *Session) EndListening() {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, stream := range s.streams {
		if !stream.listens && !stream.follows {
			continue
		}
		if c := stream.takeConnection(); c != nil {
			go c.Disconnect(0) // it may block
		}
	}
}
