// Suture's hooks in OpenCode. `suture install-hooks --agent opencode` writes this file and replaces it;
// `suture uninstall-hooks --agent opencode` deletes it.
//
// OpenCode loads plugins and runs no commands, so this plugin passes its events to `suture hook`. OpenCode waits only for
// the context of a prompt, and continues whatever fails here.

import { spawn } from "node:child_process"

const COMMAND = ["suture", "hook", "--agent", "opencode"]

// Milliseconds after which a hook is stopped.
const DEADLINES = {
  "session.created": 5000,
  "chat.message": 2000,
  "tool.execute.before": 500,
  "tool.execute.after": 3000,
  "session.idle": 3000,
  dispose: 3000,
}

export const Suture = async ({ directory }) => {
  const sessions = new Map()
  const running = new Set()

  const session = (id) => {
    if (!sessions.has(id)) sessions.set(id, { start: null, prompt: null, parent: null, answer: null, texts: new Map() })
    return sessions.get(id)
  }

  // Run the hook and return its standard output, which is the context. Always resolves before the deadline.
  const call = (payload) => {
    const called = new Promise((resolve) => {
      let context = ""
      try {
        const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
        const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINES[payload.hook])
        const end = () => {
          clearTimeout(deadline)
          resolve(context.trim())
        }
        child.on("error", end)
        child.on("close", end)
        child.stdin.on("error", () => {})
        child.stdout.setEncoding("utf8")
        child.stdout.on("data", (text) => (context += text))
        child.stdin.end(JSON.stringify({ ...payload, directory }))
      } catch {
        resolve("")
      }
    })
    running.add(called)
    called.then(() => running.delete(called))
    return called
  }

  const start = (id, reason) => {
    const known = session(id)
    known.start ??= call({ hook: "session.created", sessionID: id, reason })
  }

  // Send the texts of the assistant's last message, once per message.
  const stop = (id) => {
    const { texts, answer, parent } = session(id)
    const text = [...texts.values()].join("\n").trim()
    texts.clear()
    if (text) call({ hook: "session.idle", sessionID: id, parentID: parent, messageID: answer, text })
  }

  const handlers = {
    "session.created": ({ info }) => {
      session(info.id).parent = info.parentID ?? null
      if (!info.parentID) start(info.id, "startup")
    },
    "message.updated": ({ info }) => {
      if (info.role !== "assistant") return
      const known = session(info.sessionID)
      if (known.answer === info.id) return
      known.answer = info.id
      known.texts.clear()
    },
    "message.part.updated": ({ part }) => {
      if (part.type !== "text" || part.synthetic) return
      const known = session(part.sessionID)
      if (part.messageID === known.answer) known.texts.set(part.id, part.text)
    },
    "session.status": ({ sessionID, status }) => status.type === "idle" && stop(sessionID),
    "session.idle": ({ sessionID }) => stop(sessionID),
    "session.deleted": ({ info }) => sessions.delete(info.id),
  }

  const safely = (work) => async (...given) => {
    try {
      await work(...given)
    } catch {
      // `suture doctor` reports the error; the agent continues.
    }
  }

  return {
    event: safely(({ event }) => handlers[event.type]?.(event.properties)),

    "chat.message": safely((input, { message, parts }) => {
      const known = session(input.sessionID)
      if (known.parent) return
      start(input.sessionID, "resume")
      known.prompt = call({
        hook: "chat.message",
        input: { sessionID: input.sessionID },
        output: { message: { id: message.id }, parts: parts.filter((part) => part.type === "text") },
      })
    }),

    "experimental.chat.system.transform": safely(async (input, output) => {
      const known = sessions.get(input.sessionID)
      if (!known) return
      const contexts = await Promise.all([known.start, known.prompt])
      output.system.push(...contexts.filter(Boolean))
    }),

    "tool.execute.before": safely((input, { args }) => {
      call({ hook: "tool.execute.before", input, output: { args } })
    }),

    "tool.execute.after": safely((input, { title, output }) => {
      call({ hook: "tool.execute.after", input, output: { title, output } })
    }),

    dispose: safely(async () => {
      for (const [id, { parent }] of sessions) {
        if (!parent) call({ hook: "dispose", sessionID: id, reason: "exit" })
      }
      await Promise.all(running)
    }),
  }
}
