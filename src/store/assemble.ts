import type { Transaction, Views } from '../domain/store-port.ts';
import { applicationVerbs, applicationViews } from './applications.ts';
import { attemptVerbs } from './attempts.ts';
import { backlogViews } from './backlog.ts';
import { blastViews } from './blast-views.ts';
import { blastVerbs } from './blasts.ts';
import { callVerbs, callViews } from './calls.ts';
import { claimVerbs } from './claim.ts';
import { clipVersionViews } from './clip-versions.ts';
import { clipVerbs, clipViews } from './clips.ts';
import { clockVerbs } from './clock.ts';
import type { Context } from './context.ts';
import { deliveryVerbs, deliveryViews } from './deliveries.ts';
import { eventVerbs, eventViews } from './events.ts';
import { grantRecordViews } from './grant-records.ts';
import { grantVerbs, grantViews } from './grants.ts';
import { idempotencyVerbs, idempotencyViews } from './idempotency.ts';
import { mediaViews } from './media.ts';
import { mediaVerbs } from './media-verbs.ts';
import { networkVerbs } from './network-verbs.ts';
import { networkViews } from './networks.ts';
import { nodeVerbs, nodeViews } from './nodes.ts';
import { oldRecordVerbs } from './old-records.ts';
import { partialUploadVerbs, partialUploadViews } from './partial-uploads.ts';
import { settingsVerbs, settingsViews } from './settings.ts';
import { settleVerbs } from './settle.ts';
import { sipTraceVerbs, sipTraceViews } from './sip-messages.ts';
import { sweepVerbs } from './sweep.ts';
import { trunkVerbs, trunkViews } from './trunks.ts';
import { webhookVerbs, webhookViews } from './webhooks.ts';

export const viewsOf = (context: Context): Views => ({
  nowMs: context.nowMs,
  ...applicationViews(context),
  ...settingsViews(context),
  ...networkViews(context),
  ...trunkViews(context),
  ...mediaViews(context),
  ...clipViews(context),
  ...clipVersionViews(context),
  ...grantViews(context),
  ...grantRecordViews(context),
  ...partialUploadViews(context),
  ...idempotencyViews(context),
  ...blastViews(context),
  ...backlogViews(context),
  ...callViews(context),
  ...nodeViews(context),
  ...eventViews(context),
  ...webhookViews(context),
  ...deliveryViews(context),
  ...sipTraceViews(context),
});

export const transactionOf = (context: Context): Transaction => ({
  ...viewsOf(context),
  ...applicationVerbs(context),
  ...settingsVerbs(context),
  ...networkVerbs(context),
  ...trunkVerbs(context),
  ...mediaVerbs(context),
  ...clipVerbs(context),
  ...grantVerbs(context),
  ...partialUploadVerbs(context),
  ...idempotencyVerbs(context),
  ...blastVerbs(context),
  ...settleVerbs(context),
  ...callVerbs(context),
  ...claimVerbs(context),
  ...attemptVerbs(context),
  ...nodeVerbs(context),
  ...clockVerbs(context),
  ...sipTraceVerbs(context),
  ...sweepVerbs(context),
  ...oldRecordVerbs(context),
  ...eventVerbs(context),
  ...webhookVerbs(context),
  ...deliveryVerbs(context),
});
