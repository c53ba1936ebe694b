/** Memory for agents, in ten lines: a face of the generated client (docs/typescript.md). */

import { createClient, createConfig } from "./generated/sdk/client/index.js";
import type { Client } from "./generated/sdk/client/index.js";
import {
  contextBootstrap,
  memoriesCreate,
  memoriesDelete,
  memoriesList,
  memoriesRetrieve,
  memoriesSearch,
  memoriesUpdate,
} from "./generated/sdk/index.js";
import type {
  AddressedMemoryOutput,
  ChangedOutput,
  ForgottenOutput,
  MemoryInputRequest,
  Problem,
} from "./generated/sdk/index.js";

/** A refusal: `code` tells programs what is wrong, `message` tells people what to do. */
export class SutureError extends Error {
  readonly code: string;
  readonly status: number;
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = "SutureError";
    this.code = problem.code;
    this.status = problem.status;
    this.problem = problem;
  }
}

export interface Connection {
  /** The address of the server; by default SUTURE_URL. */
  url?: string;
  /** An agent's key; by default SUTURE_KEY. */
  key?: string;
  /** The principal on whose behalf the agent asks, such as `patient:ada`. */
  onBehalfOf?: string;
  /** How often a request without an answer, or with a temporary refusal, is repeated. */
  retries?: number;
}

/** What memory is about. */
export interface About {
  subject_type?: string;
  subject_id?: string;
  session_id?: string;
  project_id?: string;
}

export type Where = { [name: string]: unknown };
/** Memory from this time on, and from before that one: texts such as 2026-01-31. */
export interface Times {
  since?: string;
  until?: string;
}
type Labels = Pick<MemoryInputRequest, "key" | "value" | "metadata" | "ttl" | "tags" | "audience" | "sensitivity">;
interface Answer<T> {
  data?: T;
  error?: unknown;
  response?: Response;
}

const TEMPORARY = new Set([408, 429, 503]);
const PAUSE_MS = 200;
/** The variables of Node, Deno and Bun; none in a browser. */
const environment = (globalThis as { process?: { env: { [name: string]: string | undefined } } }).process?.env ?? {};

/** Memory about everything, or what `about` narrows it to. */
export class Memory {
  private readonly client: Client;
  private readonly retries: number;

  constructor(
    connection: Connection = {},
    private readonly scope: About = {},
    client?: Client,
  ) {
    const url = connection.url ?? environment["SUTURE_URL"] ?? "http://127.0.0.1:8000";
    const key = connection.key ?? environment["SUTURE_KEY"];
    this.retries = connection.retries ?? 4;
    const headers = connection.onBehalfOf ? { "X-On-Behalf-Of": connection.onBehalfOf } : {};
    this.client = client ?? createClient(createConfig({ baseUrl: url, ...(key ? { auth: key } : {}), headers }));
  }

  /** The same memory, about a subject such as `user:ada`. */
  about(subject: string, more: { session?: string; project?: string } = {}): Memory {
    const colon = subject.indexOf(":");
    if (colon < 1) throw new TypeError(`A subject is type:id, such as user:ada, not ${subject}.`);
    const scope: About = {
      ...this.scope,
      subject_type: subject.slice(0, colon),
      subject_id: subject.slice(colon + 1),
      ...(more.session === undefined ? {} : { session_id: more.session }),
      ...(more.project === undefined ? {} : { project_id: more.project }),
    };
    return new Memory({ retries: this.retries }, scope, this.client);
  }

  /** Record a text. With a `key`, it replaces what was recorded with this key about the same subject. */
  async remember(text: string, labels: Labels = {}): Promise<Item> {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const body = { ...this.scope, ...labels, text };
    const made = await this.ask(() => memoriesCreate({ client: this.client, body, headers }));
    return this.get(made.id);
  }

  /** The memories that answer a question, best first. */
  async recall(
    query: string,
    options: { where?: Where; limit?: number } & Times = {},
  ): Promise<(Item & { score: number })[]> {
    const { session_id: _, ...about } = this.scope;
    const body = { ...about, query, ...options };
    const found = await this.ask(() => memoriesSearch({ client: this.client, body }));
    return found.results.map((one) => Object.assign(new Item(this, one), { score: one.score }));
  }

  /** The beginning of a prompt within a number of tokens: what the agent should know for a question. */
  async context(query: string, options: { tokens?: number } = {}): Promise<string> {
    const body = { ...this.scope, query, max_tokens: options.tokens ?? 4000 };
    return (await this.ask(() => contextBootstrap({ client: this.client, body }))).system_prompt;
  }

  /** One memory, by the id of any of its versions. */
  async get(id: string): Promise<Item> {
    return new Item(this, await this.ask(() => memoriesRetrieve({ client: this.client, path: { memory_id: id } })));
  }

  /** All memories, newest first, fetched in pages. */
  async *memories(options: { key?: string; where?: Where } & Times = {}): AsyncGenerator<Item> {
    const { session_id: _, ...about } = this.scope;
    const { where, ...named } = options;
    const conditions = where === undefined ? {} : { where: JSON.stringify(where) as unknown as Where };
    for (let cursor: string | undefined; ; ) {
      const query = { ...about, ...named, ...conditions, ...(cursor === undefined ? {} : { cursor }) };
      const page = await this.ask(() => memoriesList({ client: this.client, query }));
      for (const one of page.results) yield new Item(this, one);
      if (page.next === null) return;
      cursor = page.next;
    }
  }

  /** @internal */
  async correct(id: string, text: string, reason: string): Promise<ChangedOutput> {
    const body = { text, reason };
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    return this.ask(() => memoriesUpdate({ client: this.client, path: { memory_id: id }, body, headers }));
  }

  /** @internal */
  async forget(id: string, reason: string): Promise<ForgottenOutput> {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    return this.ask(() => memoriesDelete({ client: this.client, path: { memory_id: id }, query: { reason }, headers }));
  }

  /** Send a request, again after a temporary refusal. */
  private async ask<T>(send: () => Promise<Answer<T>>): Promise<T> {
    for (let tried = 0; ; tried++) {
      const answer = await send();
      if (answer.error === undefined) return answer.data as T;
      const status = answer.response?.status;
      if (tried >= this.retries || (status !== undefined && !TEMPORARY.has(status))) {
        if (status === undefined) throw answer.error;
        throw new SutureError(answer.error as Problem);
      }
      const seconds = Number(answer.response?.headers.get("Retry-After") ?? 0);
      await new Promise((done) => setTimeout(done, Math.max(seconds * 1000, PAUSE_MS * 2 ** tried)));
    }
  }
}

/** A memory, as it was read. */
export class Item {
  readonly id: string;
  readonly text: string;
  readonly value: unknown;
  readonly metadata: Where;
  readonly key: string | null;

  constructor(
    private readonly memory: Memory,
    readonly read: AddressedMemoryOutput,
  ) {
    ({ id: this.id, text: this.text, value: this.value, metadata: this.metadata, key: this.key } = read);
  }

  /** Give it another text, under the tenant's policy: `applied`, or `pending` until a person decides. */
  correct(text: string, options: { reason: string }): Promise<ChangedOutput> {
    return this.memory.correct(this.id, text, options.reason);
  }

  /** Forget it with all its versions, under the tenant's policy. */
  forget(options: { reason: string }): Promise<ForgottenOutput> {
    return this.memory.forget(this.id, options.reason);
  }
}
