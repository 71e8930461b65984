// An executor built on the package xxl-job.
//
// node peer.mjs ADMIN TOKEN GROUP PORT LOGS

import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(process.cwd() + '/')
const express = require('express')
const { createXxlJobExecutor } = require('xxl-job')

const [admin, token, group, port, logs] = process.argv.slice(2)
mkdirSync(logs, { recursive: true })
process.chdir(logs) // it writes its logs into the working folder

const pause = (ms) => new Promise((done) => setTimeout(done, ms))

const jobHandlers = new Map([
  ['ok', async (log, run, param) => {
    log.info(`param ${param}`)
    log.info(`shard ${run.broadcastIndex} of ${run.broadcastTotal}`)
    return `did ${param}`
  }],
  ['fail', async (log, run, param) => {
    throw new Error(`no ${param}`)
  }],
  ['throw', async (log) => {
    log.info('about to throw')
    throw new TypeError('thrown on purpose')
  }],
  ['sleep', async (log, run, param) => {
    log.info(`begin ${Date.now()}`)
    await pause(Number(param)) // the library reports a run that it kills, whatever this does
    log.info(`end ${Date.now()}`)
  }],
  ['lines', async (log, run, param) => {
    const count = Number(param)
    for (let i = 1; i <= count; i++) {
      log.info(`line ${i} of ${count}`)
      if (i === count / 2) await pause(2500)
    }
  }],
])

const app = express()
app.use(express.json())
const executor = createXxlJobExecutor({
  app,
  jobHandlers,
  accessToken: token,
  baseUrl: `http://127.0.0.1:${port}`,
  executorKey: group,
  scheduleCenterUrl: admin,
  logStorage: 'local',
})
app.listen(Number(port), '127.0.0.1', () => executor.initialization())
process.on('SIGTERM', () => executor.cancel().finally(() => process.exit(0)))
