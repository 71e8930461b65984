// The globals of a script. Go evaluates this expression once per run, before the script, and
// calls the function with what only Go can do. Texts and numbers alone pass between the two.
(function (write, end, sleep, timer, clear, begin, file, indent, param, task) {
	'use strict'
	const { parse, stringify } = JSON
	const { isError } = Error
	const waiting = new Map() // callbacks of timers and calls by their numbers

	const mostPlaces = 50

	// places leaves the frames of the script and corrects the columns of its first line, which
	// has the beginning of a function before it.
	function places(stack) {
		const lines = String(stack).split('\n')
			.filter(line => line && !line.includes('(native)') && !line.includes('(<orth>') && !line.includes('at <eval> (' + file + ':'))
			.map(line => line.replace(/:1:(\d+)\)$/, (all, column) =>
				line.includes('(' + file + ':') ? ':1:' + Math.max(column - indent, 1) + ')' : all))
		if (lines.length > mostPlaces) {
			lines.splice(mostPlaces, lines.length, `    … and ${lines.length - mostPlaces} more`)
		}
		return lines.join('\n')
	}

	// told explains the engine's shortest message.
	const told = text => text === 'InternalError: stack overflow'
		? text + ': too many calls are open at once: does a function call itself without end?' : text

	// show writes a value for people: texts as they are, errors with their stacks, and other
	// objects as JSON.
	function show(value) {
		if (value === null || typeof value !== 'object' && typeof value !== 'function') {
			return typeof value === 'symbol' ? value.description ?? '' : String(value)
		}
		if (isError(value) && value.stack != null) {
			const at = places(value.stack)
			return told(String(value)) + (at && '\n' + at)
		}
		if (typeof value !== 'function') {
			try {
				const text = stringify(value)
				if (text !== undefined) {
					return text
				}
			} catch { /* a cycle, or a toJSON that throws */ }
		}
		return String(value)
	}

	// format replaces %s, %d, %i, %f, %j, %o and %% of a text, and appends what is left.
	function format(first, ...rest) {
		let text = typeof first === 'string' ? first.replace(/%([sdifjoO%])/g, (all, verb) => {
			if (verb === '%') {
				return '%'
			}
			if (!rest.length) {
				return all
			}
			const value = rest.shift()
			switch (verb) {
			case 'd': case 'i':
				return String(Math.trunc(Number(value)) || 0)
			case 'f':
				return String(Number(value))
			}
			return show(value)
		}) : show(first)
		for (const value of rest) {
			text += ' ' + show(value)
		}
		return text
	}

	const logger = level => (...values) => { write(level + (values.length ? format(...values) : '')) }
	const log = logger('')

	function setTimeout(call, ms, ...values) {
		if (typeof call !== 'function') {
			throw new TypeError('setTimeout wants a function, and then milliseconds')
		}
		const id = timer(Number(ms))
		if (typeof id === 'string') {
			throw new TypeError(id)
		}
		waiting.set(id, () => call(...values))
		return id
	}

	function request(address, options) {
		const call = { address: String(address ?? ''), method: 'GET', header: {}, body: '', timeout: 0 }
		for (const [name, value] of Object.entries(options ?? {})) {
			if (value == null) {
				continue
			}
			switch (name) {
			case 'method':
				call.method = String(value).toUpperCase()
				break
			case 'body':
				if (typeof value !== 'string') {
					throw new TypeError('fetch: body must be a text: use JSON.stringify')
				}
				call.body = value
				break
			case 'headers':
				for (const [key, text] of Object.entries(value)) {
					call.header[key] = String(text)
				}
				break
			case 'timeout':
				call.timeout = Number(value)
				if (!(call.timeout > 0)) {
					throw new TypeError('fetch: timeout must be a number of milliseconds')
				}
				break
			default:
				throw new TypeError(`fetch: the option ${stringify(name)} is unknown: there are method, headers, body and timeout`)
			}
		}
		return call
	}

	function response({ header, ...answer }, body) {
		const one = name => String(name).toLowerCase()
		return {
			...answer,
			headers: {
				get: name => Object.hasOwn(header, one(name)) ? header[one(name)] : null,
				has: name => Object.hasOwn(header, one(name)),
			},
			text: async () => body,
			json: async () => parse(body),
		}
	}

	function fetch(address, options) {
		return new Promise((resolve, reject) => {
			const id = begin(stringify(request(address, options)))
			if (typeof id === 'string') {
				throw new TypeError('fetch: ' + id)
			}
			waiting.set(id, (problem, answer, body) => {
				if (problem) {
					reject(new TypeError('fetch: ' + problem))
				} else {
					resolve(response(parse(answer), body))
				}
			})
		})
	}

	Object.assign(globalThis, {
		param, job: parse(task), log, setTimeout, fetch,
		console: { log, info: log, debug: log, warn: logger('WARN '), error: logger('ERROR ') },
		result: value => { end(false, show(value)) },
		fail: value => { end(true, show(value)) },
		sleep: ms => { sleep(Number(ms)) },
		clearTimeout: id => {
			clear(Number(id))
			waiting.delete(Number(id))
		},
		require: name => {
			throw new TypeError(`there is no module ${stringify(String(name))}: this script has param, job, log, result, fail, sleep, setTimeout and fetch; ` +
				'a job of the kind nodejs has modules')
		},
	})

	// The engine compares code units. As in other engines letters come before accents and case.
	const letters = text => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
	const accents = text => text.normalize('NFD').toLowerCase()
	const swapped = text => text.normalize('NFC').replace(/\p{L}/gu, c => c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())
	const order = (a, b) => a < b ? -1 : a > b ? 1 : 0
	Object.defineProperty(String.prototype, 'localeCompare', {
		configurable: true, writable: true,
		value: function localeCompare(that) {
			const a = String(this), b = String(that)
			return order(letters(a), letters(b)) || order(accents(a), accents(b)) || order(swapped(a), swapped(b))
		},
	})

	return {
		show,
		settle(id, ...values) {
			const call = waiting.get(id)
			waiting.delete(id)
			call?.(...values)
		},
	}
})
