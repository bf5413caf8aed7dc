package server

import "net/http"

// health tells a load balancer whether requests can be served.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if err := s.store.Ping(r.Context()); err != nil {
		http.Error(w, "no database", http.StatusServiceUnavailable)
		return
	}
	reply(w, http.StatusOK, map[string]string{"status": "ok"})
}
