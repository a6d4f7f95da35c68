// Package api is the frame of all HTTP interfaces: routes with their parameters and a time limit
// ([Server]), checked parameters ([Params]) and forms ([Form]), answers in JSON and feeds, and
// errors as RFC 9457 describes ([Problem]).
package api
