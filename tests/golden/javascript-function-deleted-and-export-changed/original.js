'use strict'

const http = require('http')
const { parse } = require('url')

function reply (response, status, body) {
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}

function route (request, response) {
  const url = parse(request.url, true)
  switch (url.pathname) {
    case '/health':
      reply(response, 200, { ok: true })
      break
    case '/items':
      reply(response, 200, list(url.query))
      break
    default:
      reply(response, 404, { error: 'not found' })
  }
}

function list (query) {
  const limit = Number(query.limit) || 20
  return items.slice(0, limit)
}

function unused () {
  return null
}

const items = []

http.createServer(route).listen(8080)

module.exports = { route, list }
