// A script that keeps a job by the client of the package mcp-xxl-job, and prints what it
// was told.
//
// node admin.mjs ADMIN USER PASSWORD GROUP

import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(process.cwd() + '/')
const { XxlJobClient, XxlJobApiError } = await import(pathToFileURL(require.resolve('mcp-xxl-job/dist/src/client.js')))

const [baseUrl, username, password, group] = process.argv.slice(2)
const client = new XxlJobClient({ baseUrl, username, password, timeoutMs: 15000 })
const print = (what, value) => console.log(`${what}: ${JSON.stringify(value)}`)
const shown = ({ jobDesc, author, scheduleType, scheduleConf, executorHandler, executorParam, executorRouteStrategy, triggerStatus }) =>
  ({ jobDesc, author, scheduleType, scheduleConf, executorHandler, executorParam, executorRouteStrategy, triggerStatus })

const groups = await client.listJobGroups(1, 10, group, '')
print('groups', groups.data.map((g) => [g.appname, g.addressType, g.registryList.length]))
const jobGroup = groups.data[0].id
const fields = {
  jobGroup, jobDesc: 'Nightly report', author: 'ada', alarmEmail: '', scheduleType: 'CRON', scheduleConf: '0 30 2 * * ?', misfireStrategy: 'DO_NOTHING',
  executorRouteStrategy: 'FIRST', executorHandler: 'ok', executorParam: 'own', executorBlockStrategy: 'SERIAL_EXECUTION', executorTimeout: 0,
  executorFailRetryCount: 0, glueType: 'BEAN', childJobId: '',
}
const id = await client.addJob(fields)
print('added', Number.isInteger(id))
print('job', shown(await client.getJobById(id)))
const whole = await client.getJobById(id)
await client.updateJob({ ...whole, jobDesc: 'Weekly report', scheduleConf: '0 30 2 ? * MON' })
await client.startJob(id)
const jobs = await client.listJobs(1, 10, { jobGroup, executorHandler: 'OK' })
print('jobs', [jobs.recordsTotal, ...jobs.data.map(shown)])
print('next', (await client.nextTriggerTimes('CRON', '0 30 2 ? * MON')).map((at) => at.slice(11)))
await client.triggerJob(id, 'by hand')
let row
for (let tries = 0; tries < 300 && row?.handleCode !== 200; tries++) {
  await new Promise((done) => setTimeout(done, 100))
  row = (await client.listJobLogs(1, 10, { jobGroup, jobId: id })).data[0]
}
print('run', [row.triggerCode, row.handleCode, row.executorParam, row.handleMsg])
let text = ''
for (let from = 1, tries = 0; tries < 100; tries++) {
  const part = await client.logDetailCat(row.id, 'http://10.255.255.1/', 0, from)
  text += part.logContent
  from = part.logContent ? part.toLineNum + 1 : from
  if (part.isEnd) break
  await new Promise((done) => setTimeout(done, 100))
}
print('log', text.includes('param by hand'))
await client.stopJob(id)
await client.removeJob(id)
print('left', (await client.listJobs(1, 10, { jobGroup })).recordsTotal)
try {
  await client.removeJob(id)
} catch (e) {
  print('refused', [e instanceof XxlJobApiError, e.code])
}
client.cookies.set('XXL_JOB_LOGIN_IDENTITY', 'over') // the session is over
try {
  await client.startJob(id)
} catch (e) {
  print('without a session', [e instanceof XxlJobApiError, e.code])
}
