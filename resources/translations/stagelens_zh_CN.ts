<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en_US">
<context>
    <name>Words</name>
    <message>
        <source>Compare this plan with </source>
        <translation>比较此方案与 </translation>
    </message>
    <message>
        <source>Add this plan</source>
        <translation>添加此方案</translation>
    </message>
    <message>
        <source>Compare this plan with the baseline</source>
        <translation>将此方案与基准比较</translation>
    </message>
    <message>
        <source>Compare experiments</source>
        <translation>比较实验</translation>
    </message>
    <message>
        <source>Experiments (*.stagelens.json);;All files (*)</source>
        <translation>实验 (*.stagelens.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>%1 was not added. %2</source>
        <translation>未添加 %1。%2</translation>
    </message>
    <message>
        <source>Run %1: %2</source>
        <translation>运行 %1：%2</translation>
    </message>
    <message>
        <source>there are no results to export yet; start the sweep</source>
        <translation>尚无可导出的结果；请先开始扫描</translation>
    </message>
    <message>
        <source>Explore, Compare and Sweep have a picture to export</source>
        <translation>“探索”“比较”和“扫描”有可导出的图片</translation>
    </message>
    <message>
        <source>the picture shows the last valid plan; mend the experiment before you export it</source>
        <translation>图中显示最后一个有效方案；导出前请先修正实验</translation>
    </message>
    <message>
        <source>Explore and Sweep have data to export</source>
        <translation>“探索”和“扫描”有可导出的数据</translation>
    </message>
    <message>
        <source>a sweep has results and no trace; open one of its plans in Explore</source>
        <translation>扫描只有结果而没有轨迹；请在“探索”中打开其中一个方案</translation>
    </message>
    <message>
        <source>Export the picture</source>
        <translation>导出图片</translation>
    </message>
    <message>
        <source>Export the data</source>
        <translation>导出数据</translation>
    </message>
    <message>
        <source>Export run %1</source>
        <translation>导出运行 %1</translation>
    </message>
    <message>
        <source>not possible here</source>
        <translation>此处不可行</translation>
    </message>
    <message>
        <source>Experiments, models, schedules (*.stagelens.json config.json *.csv *.txt);;All files (*)</source>
        <translation>实验、模型、调度 (*.stagelens.json config.json *.csv *.txt);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Last session</source>
        <translation>上次会话</translation>
    </message>
    <message>
        <source> The last session cannot be read, so the demo is open: </source>
        <translation>无法读取上次会话，因此打开了演示：</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Model from </source>
        <translation>模型来自 </translation>
    </message>
    <message>
        <source>The model is now that of %1: %2 layers, hidden width %3, vocabulary %4, sequences of %5.</source>
        <translation>模型现为 %1 的模型：%2 层，隐藏宽度 %3，词表 %4，序列长度 %5。</translation>
    </message>
    <message>
        <source> Its weights would be another model&apos;s here: </source>
        <translation>其权重用在这里会成为另一个模型：</translation>
    </message>
    <message>
        <source>Open an experiment, a model or a schedule</source>
        <translation>打开实验、模型或调度</translation>
    </message>
    <message>
        <source>Import the model of a config.json of Hugging Face</source>
        <translation>导入 Hugging Face 的 config.json 中的模型</translation>
    </message>
    <message>
        <source>Models (config.json *.json);;All files (*)</source>
        <translation>模型 (config.json *.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Save the experiment</source>
        <translation>保存实验</translation>
    </message>
    <message>
        <source>The experiment was not saved. </source>
        <translation>实验未保存。</translation>
    </message>
    <message>
        <source>New experiment</source>
        <translation>新实验</translation>
    </message>
    <message>
        <source>No file was opened yet</source>
        <translation>尚未打开过文件</translation>
    </message>
    <message>
        <source>Import a measured timeline: the traces of all ranks</source>
        <translation>导入实测时间线：所有 rank 的轨迹</translation>
    </message>
    <message>
        <source>%1 is still being imported. Wait for it or cancel it first.</source>
        <translation>%1 仍在导入。请等待或先取消。</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>正在读取 %1…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Reading %1… %2</source>
        <translation>正在读取 %1… %2</translation>
    </message>
    <message>
        <source>Storing %1…</source>
        <translation>正在存储 %1…</translation>
    </message>
    <message>
        <source>The import of %1 was cancelled. Nothing was stored.</source>
        <translation>已取消导入 %1。没有存储任何内容。</translation>
    </message>
    <message>
        <source>Nothing was imported. </source>
        <translation>没有导入任何内容。</translation>
    </message>
    <message>
        <source>Imported as run %1: %2.</source>
        <translation>已导入为运行 %1：%2。</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 步</translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation>%1 步</translation>
    </message>
    <message>
        <source> %1 at the trace&apos;s ends were not whole and are left out.</source>
        <translation>轨迹两端有 %1 个不完整的步，已略去。</translation>
    </message>
    <message>
        <source>None yet: Train (F5) makes one</source>
        <translation>尚无：训练（F5）即可得到</translation>
    </message>
    <message>
        <source>Run %1 · %2 · %3 steps · %4</source>
        <translation>运行 %1 · %2 · %3 步 · %4</translation>
    </message>
    <message>
        <source>Runs of this plan</source>
        <translation>此方案的运行</translation>
    </message>
    <message>
        <source>Looking for runs…</source>
        <translation>正在查找运行…</translation>
    </message>
    <message>
        <source>Step of run %1</source>
        <translation>运行 %1 的步</translation>
    </message>
    <message>
        <source>%1: step %2, %3</source>
        <translation>%1：第 %2 步，%3</translation>
    </message>
    <message>
        <source>Median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>Fastest</source>
        <translation>最快</translation>
    </message>
    <message>
        <source>Slowest</source>
        <translation>最慢</translation>
    </message>
    <message>
        <source>First</source>
        <translation>第一个</translation>
    </message>
    <message>
        <source>Last</source>
        <translation>最后一个</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Vocabulary layers</source>
        <translation>词表层</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>Use </source>
        <translation>使用 </translation>
    </message>
    <message>
        <source>Open </source>
        <translation>打开 </translation>
    </message>
    <message>
        <source>Show the plan of run %1</source>
        <translation>显示运行 %1 的方案</translation>
    </message>
    <message>
        <source>Costs from run %1</source>
        <translation>来自运行 %1 的成本</translation>
    </message>
    <message>
        <source>No copy of this plan is small enough for this computer. Use fewer layers, devices or microbatches.</source>
        <translation>此方案的副本都不足以小到在本机运行。请减少层、设备或微批次。</translation>
    </message>
    <message>
        <source>Scaled copy of </source>
        <translation>缩小副本：</translation>
    </message>
    <message>
        <source>The prediction was cancelled: this is the last plan that was computed.</source>
        <translation>预测已取消：这是最后计算出的方案。</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Show the text</source>
        <translation>显示文本</translation>
    </message>
    <message>
        <source>Import schedule…</source>
        <translation>导入调度…</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Undo %1 steps</source>
        <translation>撤销 %1 步</translation>
    </message>
    <message>
        <source>Delete run %1</source>
        <translation>删除运行 %1</translation>
    </message>
    <message>
        <source>Delete %1 runs</source>
        <translation>删除 %1 个运行</translation>
    </message>
    <message>
        <source>This is the plan of run %1.</source>
        <translation>这是运行 %1 的方案。</translation>
    </message>
    <message>
        <source>Back to my plan</source>
        <translation>返回我的方案</translation>
    </message>
    <message>
        <source>This run is going on. Stop it first (Shift+F5).</source>
        <translation>该运行正在进行。请先停止它（Shift+F5）。</translation>
    </message>
    <message>
        <source>Run %1 is deleted.</source>
        <translation>运行 %1 已删除。</translation>
    </message>
    <message>
        <source>%1 runs are deleted.</source>
        <translation>%1 个运行已删除。</translation>
    </message>
    <message>
        <source> So were %1 others.</source>
        <translation>另外 %1 个也已删除。</translation>
    </message>
    <message>
        <source> What was measured remains.</source>
        <translation>已测得的数据仍保留。</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>The order is now your own; it begins as it was. Change its text, drag passes in the picture, or take one from a file.</source>
        <translation>该顺序现由您掌控，初始与原来相同。可修改其文本、在图中拖动计算块，或从文件载入。</translation>
    </message>
    <message>
        <source>The pass stays where it is. </source>
        <translation>计算块保持原位。</translation>
    </message>
    <message>
        <source>Schedule as text</source>
        <translation>调度文本</translation>
    </message>
    <message>
        <source>%1 passes are too many to be shown as text; passes can still be moved in the picture.</source>
        <translation>%1 个计算块太多，无法显示为文本；仍可在图中移动。</translation>
    </message>
    <message>
        <source> Type, or drag a pass in the picture; what is changed becomes a custom order.</source>
        <translation>直接输入，或在图中拖动计算块；修改后即成为自定义顺序。</translation>
    </message>
    <message>
        <source>The order of %1.</source>
        <translation>%1 的顺序。</translation>
    </message>
    <message>
        <source>A custom order, which no family makes.</source>
        <translation>不属于任何调度族的自定义顺序。</translation>
    </message>
    <message>
        <source>This is %1.</source>
        <translation>这是 %1。</translation>
    </message>
    <message>
        <source> It comes from %1.</source>
        <translation>它来自 %1。</translation>
    </message>
    <message>
        <source>The picture shows the last valid plan: mend the experiment first.</source>
        <translation>图中显示最后一个有效方案：请先修正实验。</translation>
    </message>
    <message>
        <source>Move %1 of device %2</source>
        <translation>移动设备 %2 的 %1</translation>
    </message>
    <message>
        <source>Schedule from %1</source>
        <translation>来自 %1 的调度</translation>
    </message>
    <message>
        <source>%1 has faults, which are marked in its text. What you change stays in the experiment.</source>
        <translation>%1 有错误，已在文本中标出。您的修改会保留在实验中。</translation>
    </message>
    <message>
        <source>The picture shows the last valid plan; mend the experiment before its order is written.</source>
        <translation>图中显示最后一个有效方案；导出其顺序前请先修正实验。</translation>
    </message>
    <message>
        <source>The schedule was not written. </source>
        <translation>调度未导出。</translation>
    </message>
    <message>
        <source>%1 was written without a part: %2.</source>
        <translation>%1 已导出，但缺少一部分：%2。</translation>
    </message>
    <message>
        <source>Edit the order</source>
        <translation>编辑顺序</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>打开文件…</translation>
    </message>
    <message>
        <source>Import schedule</source>
        <translation>导入调度</translation>
    </message>
    <message>
        <source>Schedules (*.csv *.txt *.schedule);;All files (*)</source>
        <translation>调度 (*.csv *.txt *.schedule);;所有文件 (*)</translation>
    </message>
    <message>
        <source>PyTorch CSV, passes alone (*.csv)</source>
        <translation>仅计算块的 PyTorch CSV (*.csv)</translation>
    </message>
    <message>
        <source>PyTorch CSV with messages, 2.15 and later (*.csv)</source>
        <translation>含消息的 PyTorch CSV，2.15 及以后 (*.csv)</translation>
    </message>
    <message>
        <source>PyTorch CSV with messages, up to 2.14 (*.csv)</source>
        <translation>含消息的 PyTorch CSV，2.14 及以前 (*.csv)</translation>
    </message>
    <message>
        <source>Stagelens text (*.txt)</source>
        <translation>Stagelens 文本 (*.txt)</translation>
    </message>
    <message>
        <source>Export schedule</source>
        <translation>导出调度</translation>
    </message>
    <message>
        <source>Choose another file</source>
        <translation>选择其他文件</translation>
    </message>
    <message>
        <source>A run is going on. Stop it before another database is opened.</source>
        <translation>正在运行。打开其他数据库前请先停止。</translation>
    </message>
    <message>
        <source>Where runs are stored</source>
        <translation>存储运行的位置</translation>
    </message>
    <message>
        <source>Databases (*.db)</source>
        <translation>数据库 (*.db)</translation>
    </message>
    <message>
        <source>&amp;Train %1 steps</source>
        <translation>训练 %1 步(&amp;T)</translation>
    </message>
    <message>
        <source>Train %1 steps</source>
        <translation>训练 %1 步</translation>
    </message>
    <message>
        <source> (F5)</source>
        <translation>（F5）</translation>
    </message>
    <message>
        <source>Stagelens checks whether this computer can run the plan.</source>
        <translation>Stagelens 会检查本机能否运行该方案。</translation>
    </message>
    <message>
        <source>&amp;New</source>
        <translation>新建(&amp;N)</translation>
    </message>
    <message>
        <source>The default plan: gpt-demo on 4 devices</source>
        <translation>默认方案：4 个设备上的 gpt-demo</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Open an experiment, a model&apos;s config.json, or a schedule</source>
        <translation>打开实验、模型的 config.json 或调度</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>Save the experiment under another name</source>
        <translation>以其他名称保存实验</translation>
    </message>
    <message>
        <source>&amp;Import a measured timeline…</source>
        <translation>导入实测时间线(&amp;I)…</translation>
    </message>
    <message>
        <source>Chrome or Kineto traces with events named PP:0F0, of all ranks</source>
        <translation>所有 rank 的 Chrome 或 Kineto 轨迹，事件名为 PP:0F0</translation>
    </message>
    <message>
        <source>P&amp;NG…</source>
        <translation>P&amp;NG…</translation>
    </message>
    <message>
        <source>&amp;SVG…</source>
        <translation>&amp;SVG…</translation>
    </message>
    <message>
        <source>P&amp;DF…</source>
        <translation>P&amp;DF…</translation>
    </message>
    <message>
        <source>&amp;Chrome trace…</source>
        <translation>&amp;Chrome 轨迹…</translation>
    </message>
    <message>
        <source>With messages and memory; opens in Perfetto (stagelens-cli export --format chrome-trace)</source>
        <translation>含消息和内存；可在 Perfetto 中打开（stagelens-cli export --format chrome-trace）</translation>
    </message>
    <message>
        <source>&amp;CSV…</source>
        <translation>&amp;CSV…</translation>
    </message>
    <message>
        <source>A row for each pass; in Sweep, for each result</source>
        <translation>每个计算块一行；在“扫描”中每个结果一行</translation>
    </message>
    <message>
        <source>&amp;JSON…</source>
        <translation>&amp;JSON…</translation>
    </message>
    <message>
        <source>With every figure; in Sweep, of each result</source>
        <translation>含所有数值；在“扫描”中为每个结果的数值</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>关闭窗口</translation>
    </message>
    <message>
        <source>&amp;Copy picture</source>
        <translation>复制图片(&amp;C)</translation>
    </message>
    <message>
        <source>The timeline as an image</source>
        <translation>时间线图片</translation>
    </message>
    <message>
        <source>Use this plan as &amp;baseline</source>
        <translation>以此方案为基准(&amp;B)</translation>
    </message>
    <message>
        <source>Differences are shown against this plan from now on</source>
        <translation>从现在起，差异相对于此方案显示</translation>
    </message>
    <message>
        <source>Use &amp;1F1B as baseline</source>
        <translation>以 1F1B 为基准(&amp;1)</translation>
    </message>
    <message>
        <source>The baseline is 1F1B without vocabulary parallelism again</source>
        <translation>基准恢复为不带词表并行的 1F1B</translation>
    </message>
    <message>
        <source>Do what the &amp;headline proposes</source>
        <translation>执行结论中的建议(&amp;H)</translation>
    </message>
    <message>
        <source>The one change that helps most</source>
        <translation>最有帮助的一项改动</translation>
    </message>
    <message>
        <source>&amp;Train</source>
        <translation>训练(&amp;T)</translation>
    </message>
    <message>
        <source>Train a scaled &amp;copy here…</source>
        <translation>在此训练缩小的副本(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>Stop the run; what was measured is kept</source>
        <translation>停止运行；已测得的会保留</translation>
    </message>
    <message>
        <source>&amp;Fit the whole iteration</source>
        <translation>适应整个迭代(&amp;F)</translation>
    </message>
    <message>
        <source>Show all of the time axis (0 over the picture)</source>
        <translation>显示整个时间轴（在图上按 0）</translation>
    </message>
    <message>
        <source>&amp;Explore</source>
        <translation>探索(&amp;E)</translation>
    </message>
    <message>
        <source>One plan: predict, train, ask</source>
        <translation>一个方案：预测、训练、提问</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>比较(&amp;C)</translation>
    </message>
    <message>
        <source>Two to six runs, predictions or experiments on one axis</source>
        <translation>同一时间轴上的二至六个运行、预测或实验</translation>
    </message>
    <message>
        <source>S&amp;weep</source>
        <translation>扫描(&amp;W)</translation>
    </message>
    <message>
        <source>Many plans at once, in two linked plots</source>
        <translation>同时查看多个方案，两张联动的图</translation>
    </message>
    <message>
        <source>&amp;Learn</source>
        <translation>学习(&amp;L)</translation>
    </message>
    <message>
        <source>What the schedules and methods are</source>
        <translation>各种调度和方法的含义</translation>
    </message>
    <message>
        <source>Import a &amp;Hugging Face config.json…</source>
        <translation>导入 &amp;Hugging Face config.json…</translation>
    </message>
    <message>
        <source>The model of a config.json (GPT-2 or Llama) takes the place of this one</source>
        <translation>用 config.json（GPT-2 或 Llama）的模型取代当前模型</translation>
    </message>
    <message>
        <source>All &amp;settings</source>
        <translation>所有设置(&amp;S)</translation>
    </message>
    <message>
        <source>Every field of the experiment</source>
        <translation>实验的每个字段</translation>
    </message>
    <message>
        <source>Next &amp;pane</source>
        <translation>下一个窗格(&amp;P)</translation>
    </message>
    <message>
        <source>Walk through strip, editor, timeline and runs</source>
        <translation>依次走过方案条、编辑器、时间线和运行</translation>
    </message>
    <message>
        <source>Dark where the desktop is dark</source>
        <translation>桌面为深色时使用深色</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>Light colours</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>Dark colours</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>&amp;Keys and mouse</source>
        <translation>按键与鼠标(&amp;K)</translation>
    </message>
    <message>
        <source>What every key does</source>
        <translation>每个按键的作用</translation>
    </message>
    <message>
        <source>&amp;About Stagelens</source>
        <translation>关于 Stagelens(&amp;A)</translation>
    </message>
    <message>
        <source>Like the desktop</source>
        <translation>跟随桌面</translation>
    </message>
    <message>
        <source>&amp;Edit schedule as text…</source>
        <translation>以文本编辑调度(&amp;E)…</translation>
    </message>
    <message>
        <source>The order of passes beside the picture; passes can then be dragged</source>
        <translation>图旁的计算块顺序；之后可拖动计算块</translation>
    </message>
    <message>
        <source>&amp;Costs from the run that is shown</source>
        <translation>采用所示运行的成本(&amp;C)</translation>
    </message>
    <message>
        <source>Predicts with the measured duration of each pass; messages are free then</source>
        <translation>以每个计算块的实测时长预测；消息此时不计时</translation>
    </message>
    <message>
        <source>Import s&amp;chedule…</source>
        <translation>导入调度(&amp;C)…</translation>
    </message>
    <message>
        <source>PyTorch&apos;s CSV, or Stagelens&apos; text form</source>
        <translation>PyTorch 的 CSV，或 Stagelens 的文本格式</translation>
    </message>
    <message>
        <source>E&amp;xport schedule…</source>
        <translation>导出调度(&amp;W)…</translation>
    </message>
    <message>
        <source>As PyTorch&apos;s CSV or as text: stagelens-cli export --format torch-csv</source>
        <translation>以 PyTorch 的 CSV 或文本：stagelens-cli export --format torch-csv</translation>
    </message>
    <message>
        <source>&amp;Find in the picture…</source>
        <translation>在图中查找(&amp;F)…</translation>
    </message>
    <message>
        <source>Search passes: B 17, stage 3, device 2 (/ over the picture)</source>
        <translation>搜索计算块：B 17、stage 3、device 2（在图上按 /）</translation>
    </message>
    <message>
        <source>&amp;Critical path	C</source>
        <translation>关键路径(&amp;C)	C</translation>
    </message>
    <message>
        <source>What makes the iteration as long as it is</source>
        <translation>决定迭代长度的因素</translation>
    </message>
    <message>
        <source>&amp;Play	Space</source>
        <translation>播放(&amp;P)	Space</translation>
    </message>
    <message>
        <source>Moves through the iteration, with a caption</source>
        <translation>沿迭代移动，附带说明</translation>
    </message>
    <message>
        <source>P&amp;resentation</source>
        <translation>演示模式(&amp;R)</translation>
    </message>
    <message>
        <source>The page in front alone, in larger type</source>
        <translation>仅当前页面，字体更大</translation>
    </message>
    <message>
        <source>As &amp;table</source>
        <translation>以表格显示(&amp;T)</translation>
    </message>
    <message>
        <source>The same passes as rows</source>
        <translation>同样的计算块，以行显示</translation>
    </message>
    <message>
        <source>&amp;Morph from the baseline</source>
        <translation>从基准变形(&amp;M)</translation>
    </message>
    <message>
        <source>The passes of the baseline fly to their places in this plan</source>
        <translation>基准的计算块飞到它们在此方案中的位置</translation>
    </message>
    <message>
        <source>&amp;Pass kind</source>
        <translation>计算块类型(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Microbatch</source>
        <translation>微批次(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Chunk</source>
        <translation>分块(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Slack</source>
        <translation>余量(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>打开最近的文件(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Examples</source>
        <translation>示例(&amp;E)</translation>
    </message>
    <message>
        <source>Export &amp;picture</source>
        <translation>导出图片(&amp;P)</translation>
    </message>
    <message>
        <source>Export &amp;data</source>
        <translation>导出数据(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>E&amp;xperiment</source>
        <translation>实验(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>Colour &amp;by</source>
        <translation>着色方式(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation>外观(&amp;A)</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>语言(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>zoom time at the cursor</source>
        <translation>在光标处缩放时间</translation>
    </message>
    <message>
        <source>Shift+wheel, sideways wheel; A D; drag</source>
        <translation>Shift+滚轮，横向滚轮；A D；拖动</translation>
    </message>
    <message>
        <source>pan time</source>
        <translation>平移时间</translation>
    </message>
    <message>
        <source>Shift+drag, drag on the ruler</source>
        <translation>Shift+拖动，在标尺上拖动</translation>
    </message>
    <message>
        <source>select a range, with statistics</source>
        <translation>选择范围并统计</translation>
    </message>
    <message>
        <source>Wheel over the lane names; PgUp PgDn</source>
        <translation>在设备名上滚轮；PgUp PgDn</translation>
    </message>
    <message>
        <source>scroll the lanes</source>
        <translation>滚动泳道</translation>
    </message>
    <message>
        <source>height of the lanes</source>
        <translation>泳道高度</translation>
    </message>
    <message>
        <source>Click; ← → ↑ ↓</source>
        <translation>单击；← → ↑ ↓</translation>
    </message>
    <message>
        <source>select a pass; previous, next pass, lane. A click on a gap explains it</source>
        <translation>选择计算块；上一个、下一个计算块或泳道。单击空隙可得到解释</translation>
    </message>
    <message>
        <source>what the selected pass waited for; what waits for it</source>
        <translation>所选计算块等待的；等待它的</translation>
    </message>
    <message>
        <source>fit the selection; fit all; view history</source>
        <translation>适应所选；适应全部；视图历史</translation>
    </message>
    <message>
        <source>critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>play and pause</source>
        <translation>播放和暂停</translation>
    </message>
    <message>
        <source>the picture as a table</source>
        <translation>以表格显示图</translation>
    </message>
    <message>
        <source>morph: the baseline&apos;s passes fly to their places in this plan</source>
        <translation>变形：基准的计算块飞到它们在此方案中的位置</translation>
    </message>
    <message>
        <source>use this plan as baseline; 1F1B again</source>
        <translation>以此方案为基准；恢复 1F1B</translation>
    </message>
    <message>
        <source>do what the headline proposes</source>
        <translation>执行结论中的建议</translation>
    </message>
    <message>
        <source>train; stop</source>
        <translation>训练；停止</translation>
    </message>
    <message>
        <source>undo; redo</source>
        <translation>撤销；重做</translation>
    </message>
    <message>
        <source>Explore, Compare, Sweep, Learn</source>
        <translation>探索、比较、扫描、学习</translation>
    </message>
    <message>
        <source>all settings</source>
        <translation>所有设置</translation>
    </message>
    <message>
        <source>while it is edited: move the selected pass earlier, later</source>
        <translation>编辑时：将所选计算块提前、推后</translation>
    </message>
    <message>
        <source>next pane; presentation</source>
        <translation>下一个窗格；演示模式</translation>
    </message>
    <message>
        <source>Return; Space; F2; T; N; C; Delete</source>
        <translation>Return；Space；F2；T；N；C；Delete</translation>
    </message>
    <message>
        <source>in the table of runs: show, tick, rename, tags, note, compare, delete; Shift and Ctrl select several</source>
        <translation>在运行表中：显示、勾选、重命名、标签、备注、比较、删除；Shift 和 Ctrl 可多选</translation>
    </message>
    <message>
        <source>copy the picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>clears the selection, leaves a mode or reverts a field; it never stops a run</source>
        <translation>清除选择、退出模式或还原字段；从不停止运行</translation>
    </message>
    <message>
        <source>this table</source>
        <translation>此表</translation>
    </message>
    <message>
        <source>computing…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>Prediction under way</source>
        <translation>正在预测</translation>
    </message>
    <message>
        <source>Keep the last plan in the picture; undo takes the edit back</source>
        <translation>图中保留上一个方案；撤销可取消编辑</translation>
    </message>
    <message>
        <source>Scene</source>
        <translation>场景</translation>
    </message>
    <message>
        <source>Tour</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Search in Learn</source>
        <translation>在“学习”中搜索</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>Start here</source>
        <translation>从这里开始</translation>
    </message>
    <message>
        <source>Scenes</source>
        <translation>场景</translation>
    </message>
    <message>
        <source>Tours</source>
        <translation>导览</translation>
    </message>
    <message>
        <source>Schedules</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>Training for real</source>
        <translation>真实训练</translation>
    </message>
    <message>
        <source>How Stagelens works</source>
        <translation>Stagelens 的工作原理</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source> unit</source>
        <translation> 单位</translation>
    </message>
    <message>
        <source> units</source>
        <translation> 单位</translation>
    </message>
    <message>
        <source>Re&amp;set</source>
        <translation>重置(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Open in Explore</source>
        <translation>在“探索”中打开(&amp;O)</translation>
    </message>
    <message>
        <source>The animation is in %1.</source>
        <translation>动画保存在 %1。</translation>
    </message>
    <message>
        <source>The plan as the text describes it</source>
        <translation>文本所述的方案</translation>
    </message>
    <message>
        <source>Makes this plan the experiment; Undo brings yours back</source>
        <translation>将此方案设为实验；撤销可恢复您的方案</translation>
    </message>
    <message>
        <source>Moves through the iteration and says what happens (Space over the picture)</source>
        <translation>沿迭代移动并说明发生了什么（在图上按空格键）</translation>
    </message>
    <message>
        <source>Shows how the passes of the plan below fly to their places in the plan above</source>
        <translation>显示下方方案的计算块如何飞到上方方案中的位置</translation>
    </message>
    <message>
        <source>, peak memory </source>
        <translation>，峰值内存 </translation>
    </message>
    <message>
        <source> The picture shows the plan before.</source>
        <translation>图中显示的是之前的方案。</translation>
    </message>
    <message>
        <source>The page cannot be read. %1: %2</source>
        <translation>无法读取该页面。%1：%2</translation>
    </message>
    <message>
        <source>baseline %1</source>
        <translation>基准 %1</translation>
    </message>
    <message>
        <source> (predicted)</source>
        <translation>（预测）</translation>
    </message>
    <message>
        <source> of other work</source>
        <translation>（另一种工作）</translation>
    </message>
    <message>
        <source>, now %1, %2</source>
        <translation>，现为 %1，%2</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Live bytes of each device over time</source>
        <translation>每个设备随时间占用的字节数</translation>
    </message>
    <message>
        <source>The baseline has other units than this plan. Pin another baseline with Ctrl+B.</source>
        <translation>基准的单位与此方案不同。请用 Ctrl+B 固定另一个基准。</translation>
    </message>
    <message>
        <source>This plan is its own baseline. Change its schedule or vocabulary method, and its passes fly from the baseline to their new places.</source>
        <translation>此方案就是自己的基准。修改其调度或词表方法后，计算块会从基准飞到新的位置。</translation>
    </message>
    <message>
        <source>computed, run %1</source>
        <translation>计算值，运行 %1</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>运行 %1</translation>
    </message>
    <message>
        <source>%1, vocabulary %2</source>
        <translation>%1，词表 %2</translation>
    </message>
    <message>
        <source>No model, only an order</source>
        <translation>没有模型，只有顺序</translation>
    </message>
    <message>
        <source>%1: %2. Costs: %3.</source>
        <translation>%1：%2。成本：%3。</translation>
    </message>
    <message>
        <source>To the page before (Alt+Left)</source>
        <translation>返回之前的页面（Alt+Left）</translation>
    </message>
    <message>
        <source>Overview</source>
        <translation>概览</translation>
    </message>
    <message>
        <source>All scenes, tours and examples as cards</source>
        <translation>以卡片显示所有场景、导览和示例</translation>
    </message>
    <message>
        <source># This tour cannot be shown

%1</source>
        <translation># 无法显示此导览

%1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1/%2</translation>
    </message>
    <message>
        <source>Step %1 of %2</source>
        <translation>第 %1/%2 步</translation>
    </message>
    <message>
        <source>With your change this is no longer so: %1.</source>
        <translation>修改后以下不再成立：%1。</translation>
    </message>
    <message>
        <source># %1

%2

Change it here, or open it in Explore. There it replaces your plan; Undo restores yours.</source>
        <translation># %1

%2

可在此修改，或在“探索”中打开。打开后它会取代您的方案；撤销可恢复。</translation>
    </message>
    <message>
        <source>Sets it in your plan; Undo restores the former one</source>
        <translation>应用到您的方案；撤销可恢复之前的</translation>
    </message>
    <message>
        <source>Try %1 on my plan</source>
        <translation>在我的方案上尝试 %1</translation>
    </message>
    <message>
        <source>&amp;Export picture…</source>
        <translation>导出图片(&amp;E)…</translation>
    </message>
    <message>
        <source>Hide the run</source>
        <translation>隐藏该运行</translation>
    </message>
    <message>
        <source>Nothing was measured yet: this is the prediction.</source>
        <translation>尚未测量：这是预测。</translation>
    </message>
    <message>
        <source>Train this plan</source>
        <translation>训练此方案</translation>
    </message>
    <message>
        <source>From run %1</source>
        <translation>来自运行 %1</translation>
    </message>
    <message>
        <source>, measured on this computer; the prediction is for %1, so no error is shown.</source>
        <translation>，在本机测得；预测针对 %1，因此不显示误差。</translation>
    </message>
    <message>
        <source>, which differs: </source>
        <translation>，其不同之处：</translation>
    </message>
    <message>
        <source>Show its plan</source>
        <translation>显示其方案</translation>
    </message>
    <message>
        <source> It differs from this plan: %1.</source>
        <translation>它与此方案不同：%1。</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>转到 %1</translation>
    </message>
    <message>
        <source>Nothing was swept yet. Start goes through the plans that stand above.</source>
        <translation>尚未扫描。“开始”将依次计算上面的方案。</translation>
    </message>
    <message>
        <source>%1 over %2</source>
        <translation>%1 随 %2</translation>
    </message>
    <message>
        <source>%1 (%2 is better%3)</source>
        <translation>%1（%2为佳%3）</translation>
    </message>
    <message>
        <source>more</source>
        <translation>多</translation>
    </message>
    <message>
        <source>less</source>
        <translation>少</translation>
    </message>
    <message>
        <source> at equal work only</source>
        <translation>，仅限相同工作量</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>Iteration against peak memory will stand here.</source>
        <translation>此处将显示迭代与峰值内存。</translation>
    </message>
    <message>
        <source>Iteration against peak memory</source>
        <translation>迭代与峰值内存</translation>
    </message>
    <message>
        <source>Peak memory of a device</source>
        <translation>一个设备的峰值内存</translation>
    </message>
    <message>
        <source>Iteration (less is better) · dotted: Pareto front</source>
        <translation>迭代（越少越好）· 点线：帕累托前沿</translation>
    </message>
    <message>
        <source>Iteration · dotted: Pareto front of equal work</source>
        <translation>迭代 · 点线：相同工作量下的帕累托前沿</translation>
    </message>
    <message>
        <source>, bubble </source>
        <translation>，气泡 </translation>
    </message>
    <message>
        <source>, %1 tokens/s</source>
        <translation>，%1 词元/秒</translation>
    </message>
    <message>
        <source>, run %1</source>
        <translation>，运行 %1</translation>
    </message>
    <message>
        <source>Open in Explore</source>
        <translation>在“探索”中打开</translation>
    </message>
    <message>
        <source>Makes the chosen point&apos;s plan the experiment (double-click or Return on the point)</source>
        <translation>将所选点的方案设为实验（双击或在点上按 Return）</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>The figures as CSV or JSON, or the picture as PNG, SVG or PDF</source>
        <translation>以 CSV 或 JSON 导出数值，或以 PNG、SVG 或 PDF 导出图片</translation>
    </message>
    <message>
        <source>Whole numbers, separated by spaces; 32k is 32,000 and 32Ki is 32,768</source>
        <translation>整数，以空格分隔；32k 为 32,000，32Ki 为 32,768</translation>
    </message>
    <message>
        <source>nothing else</source>
        <translation>没有其他</translation>
    </message>
    <message>
        <source>Values of the first parameter</source>
        <translation>第一个参数的取值</translation>
    </message>
    <message>
        <source>Values of the second parameter</source>
        <translation>第二个参数的取值</translation>
    </message>
    <message>
        <source>predict</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>train on this computer</source>
        <translation>在本机训练</translation>
    </message>
    <message>
        <source>&amp;Vary</source>
        <translation>变化(&amp;V)</translation>
    </message>
    <message>
        <source>a&amp;nd</source>
        <translation>和(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Show</source>
        <translation>显示(&amp;S)</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Keeps what is done</source>
        <translation>保留已完成的部分</translation>
    </message>
    <message>
        <source>&amp;How</source>
        <translation>方式(&amp;H)</translation>
    </message>
    <message>
        <source>A training run is going on; this can start when it has ended.</source>
        <translation>正在训练；结束后才能开始。</translation>
    </message>
    <message>
        <source>, estimating…</source>
        <translation>，正在估算…</translation>
    </message>
    <message>
        <source>, %1 steps each</source>
        <translation>，每个 %1 步</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>Cancelled: %1 of %2 are done and stay.</source>
        <translation>已取消：%2 个中 %1 个已完成并保留。</translation>
    </message>
    <message>
        <source>%1 of %2 are impossible here, marked ×: point at one for the reason.</source>
        <translation>%2 个中有 %1 个在此不可行，以 × 标记：指向它可查看原因。</translation>
    </message>
    <message>
        <source>Export the sweep</source>
        <translation>导出扫描</translation>
    </message>
    <message>
        <source>Point at a result to see its figures in both plots; click to pin it.</source>
        <translation>指向结果可在两张图中查看数值；单击可固定。</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Adds the current prediction, an experiment or a stored run</source>
        <translation>添加当前预测、一个实验或一次已存储的运行</translation>
    </message>
    <message>
        <source>The current prediction</source>
        <translation>当前预测</translation>
    </message>
    <message>
        <source>Experiments from files…</source>
        <translation>来自文件的实验…</translation>
    </message>
    <message>
        <source>Alignment of the timelines</source>
        <translation>时间线的对齐</translation>
    </message>
    <message>
        <source>Scaled to the length of A</source>
        <translation>缩放至 A 的长度</translation>
    </message>
    <message>
        <source>Microbatch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>microbatch </source>
        <translation>微批次 </translation>
    </message>
    <message>
        <source>Hides what needs more memory on a device than A</source>
        <translation>隐藏任一设备所需内存多于 A 的项</translation>
    </message>
    <message>
        <source>A&amp;ligned by</source>
        <translation>对齐方式(&amp;L)</translation>
    </message>
    <message>
        <source>What differs</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>A (baseline)  </source>
        <translation>A（基准） </translation>
    </message>
    <message>
        <source>  hidden: needs %1, A %2</source>
        <translation>  已隐藏：需要 %1，A 为 %2</translation>
    </message>
    <message>
        <source>Make it A, the baseline</source>
        <translation>设为 A，即基准</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>A, the baseline</source>
        <translation>A，基准</translation>
    </message>
    <message>
        <source> against A</source>
        <translation>相对于 A</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Fold or unfold: </source>
        <translation>折叠或展开：</translation>
    </message>
    <message>
        <source>Choose the file for: </source>
        <translation>选择文件：</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>选择文件</translation>
    </message>
    <message>
        <source>
Command line: </source>
        <translation>
命令行：</translation>
    </message>
    <message>
        <source>Device %1</source>
        <translation>设备 %1</translation>
    </message>
    <message>
        <source>Changes this plan so that it fits. Undo takes it back.</source>
        <translation>修改此方案使其放得下。撤销可恢复。</translation>
    </message>
    <message>
        <source>Sets the vocabulary layers of this plan. Undo takes it back.</source>
        <translation>设置此方案的词表层。撤销可恢复。</translation>
    </message>
    <message>
        <source>Sets the schedule of this plan. Undo takes it back.</source>
        <translation>设置此方案的调度。撤销可恢复。</translation>
    </message>
    <message>
        <source>Selection</source>
        <translation>所选内容</translation>
    </message>
    <message>
        <source>Click a pass to see what it waited for, or a gap to see why it is there.</source>
        <translation>单击计算块查看它等待了什么，或单击空隙查看其原因。</translation>
    </message>
    <message>
        <source>Why: </source>
        <translation>原因：</translation>
    </message>
    <message>
        <source>Iteration</source>
        <translation>迭代</translation>
    </message>
    <message>
        <source>Time of one training step: all passes and the optimizer.</source>
        <translation>一个训练步的时间：所有计算块和优化器。</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>Share of the devices&apos; time in which they wait: 1 − busy / (devices × makespan).</source>
        <translation>设备等待时间的比例：1 − 忙碌 /（设备数 × 总时长）。</translation>
    </message>
    <message>
        <source>Most bytes that the tensors of one device hold.</source>
        <translation>一个设备的张量占用的最大字节数。</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <source>Tokens trained in a second, all ranks together.</source>
        <translation>所有 rank 每秒训练的词元总数。</translation>
    </message>
    <message>
        <source>Model FLOP/s over the devices&apos; peak.</source>
        <translation>模型 FLOP/s 与设备峰值之比。</translation>
    </message>
    <message>
        <source>Lower bound</source>
        <translation>下界</translation>
    </message>
    <message>
        <source>Predicted, of the last valid plan</source>
        <translation>预测，来自最后一个有效方案</translation>
    </message>
    <message>
        <source>Predicted for %1</source>
        <translation>针对 %1 的预测</translation>
    </message>
    <message>
        <source>Predicted for %1, beyond measured runs</source>
        <translation>针对 %1 的预测，超出实测运行的范围</translation>
    </message>
    <message>
        <source>Differences are against the baseline, %1: %2.</source>
        <translation>差异相对于基准 %1：%2。</translation>
    </message>
    <message>
        <source>The baseline, %1: %2, is other work, so nothing is compared: %3.</source>
        <translation>基准 %1：%2 是另一种工作，因此不作比较：%3。</translation>
    </message>
    <message>
        <source>This plan is the baseline.</source>
        <translation>此方案即为基准。</translation>
    </message>
    <message>
        <source>Ctrl+B makes the plan of the moment the baseline.</source>
        <translation>Ctrl+B 将当前方案设为基准。</translation>
    </message>
    <message>
        <source>
The exchange of the replicas takes %1 of the iteration; the rest of it is hidden.</source>
        <translation>
副本间的交换占迭代的 %1；其余被掩盖。</translation>
    </message>
    <message>
        <source>%1: %2 (predicted %3)</source>
        <translation>%1：%2（预测 %3）</translation>
    </message>
    <message>
        <source>Measured by others: %1. In brackets: predicted against published.</source>
        <translation>由他人测得：%1。括号内：预测相对于发表值。</translation>
    </message>
    <message>
        <source>The run differs from this plan, so no error is shown.</source>
        <translation>该运行与此方案不同，因此不显示误差。</translation>
    </message>
    <message>
        <source>In brackets: measured against predicted.</source>
        <translation>括号内：实测相对于预测。</translation>
    </message>
    <message>
        <source>Morph between two plans</source>
        <translation>两个方案之间的变形</translation>
    </message>
    <message>
        <source>%1 of the way from %2 to %3</source>
        <translation>从 %2 到 %3 的 %1</translation>
    </message>
    <message>
        <source>Export animation…</source>
        <translation>导出动画…</translation>
    </message>
    <message>
        <source>Moves the passes of the first plan to their places in the second (Space)</source>
        <translation>将第一个方案的计算块移到第二个方案中的位置（空格键）</translation>
    </message>
    <message>
        <source>Place between the two plans</source>
        <translation>两个方案之间的位置</translation>
    </message>
    <message>
        <source>Drag it to move between the two plans by hand</source>
        <translation>拖动它可在两个方案之间手动移动</translation>
    </message>
    <message>
        <source>There is no second plan to morph from.</source>
        <translation>没有第二个方案可供变形。</translation>
    </message>
    <message>
        <source>The two plans have %L1 passes; up to %L2 can be animated. Use fewer microbatches or devices.</source>
        <translation>两个方案共有 %L1 个计算块；最多可动画显示 %L2 个。请减少微批次或设备。</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>SVG animation (*.svg)</source>
        <translation>SVG 动画 (*.svg)</translation>
    </message>
    <message>
        <source>Export the animation</source>
        <translation>导出动画</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>正在写入…</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>计算块</translation>
    </message>
    <message>
        <source>device %1: %2</source>
        <translation>设备 %1：%2</translation>
    </message>
    <message>
        <source>device %1 is done</source>
        <translation>设备 %1 已完成</translation>
    </message>
    <message>
        <source>device %1 %2</source>
        <translation>设备 %1 %2</translation>
    </message>
    <message>
        <source>%1 on device %2</source>
        <translation>设备 %2 上的 %1</translation>
    </message>
    <message>
        <source>Microbatch %1</source>
        <translation>微批次 %1</translation>
    </message>
    <message>
        <source> is done</source>
        <translation> 已完成</translation>
    </message>
    <message>
        <source> is not in this picture</source>
        <translation> 不在此图中</translation>
    </message>
    <message>
        <source>%1 waits; %2 begins in %3</source>
        <translation>%1 等待；%2 将在 %3 后开始</translation>
    </message>
    <message>
        <source>At %1 · </source>
        <translation>%1 时 · </translation>
    </message>
    <message>
        <source>%1 of %2 devices work · </source>
        <translation>%2 个设备中 %1 个在工作 · </translation>
    </message>
    <message>
        <source>To the moment before at which a pass begins or ends</source>
        <translation>到上一个计算块开始或结束的时刻</translation>
    </message>
    <message>
        <source>Space over the picture</source>
        <translation>在图上按空格键</translation>
    </message>
    <message>
        <source>To the next moment at which a pass begins or ends</source>
        <translation>到下一个计算块开始或结束的时刻</translation>
    </message>
    <message>
        <source>%1 s an iteration</source>
        <translation>每次迭代 %1 秒</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Follow microbatch</source>
        <translation>跟随微批次</translation>
    </message>
    <message>
        <source>The microbatch that is followed: its passes stand out, the caption says where it is</source>
        <translation>被跟随的微批次：突出其计算块，说明给出它的位置</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Space plays the iteration and says what each device does.</source>
        <translation>空格键播放迭代，并说明每个设备在做什么。</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Fold or unfold the runs</source>
        <translation>折叠或展开运行</translation>
    </message>
    <message>
        <source>Filter of the runs</source>
        <translation>运行的筛选</translation>
    </message>
    <message>
        <source>Filter: vocab-2, 4x16, 8192, a tag…</source>
        <translation>筛选：vocab-2、4x16、8192、标签…</translation>
    </message>
    <message>
        <source>Shows the runs in whose name, schedule, method, kind, tags or note every word is found</source>
        <translation>显示名称、调度、方法、类型、标签或备注中包含所有词的运行</translation>
    </message>
    <message>
        <source>Reads a measured timeline: Chrome or Kineto traces with events named PP:0F0</source>
        <translation>读取实测时间线：事件名为 PP:0F0 的 Chrome 或 Kineto 轨迹</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Measured live</source>
        <translation>实时测量</translation>
    </message>
    <message>
        <source>Bubble ^</source>
        <translation>气泡 ^</translation>
    </message>
    <message>
        <source>Peak memory ^</source>
        <translation>峰值内存 ^</translation>
    </message>
    <message>
        <source>Show with its plan</source>
        <translation>连同其方案一起显示</translation>
    </message>
    <message>
        <source>Tick for comparing</source>
        <translation>勾选以比较</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>标签…</translation>
    </message>
    <message>
        <source>Note…</source>
        <translation>备注…</translation>
    </message>
    <message>
        <source>Export as Chrome trace…</source>
        <translation>导出为 Chrome 轨迹…</translation>
    </message>
    <message>
        <source>Export as CSV…</source>
        <translation>导出为 CSV…</translation>
    </message>
    <message>
        <source>Export as JSON…</source>
        <translation>导出为 JSON…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Runs (%1)</source>
        <translation>运行（%1）</translation>
    </message>
    <message>
        <source>Runs (%1 of %2)</source>
        <translation>运行（%1/%2）</translation>
    </message>
    <message>
        <source>No run has all these words. Clear the filter to see all %1.</source>
        <translation>没有运行包含所有这些词。清除筛选可查看全部 %1 个。</translation>
    </message>
    <message>
        <source>The stored runs are not read yet.</source>
        <translation>尚未读取已存储的运行。</translation>
    </message>
    <message>
        <source>No runs yet. Train (F5) trains the plan that you see and keeps the result here.</source>
        <translation>尚无运行。训练（F5）会训练所见方案并把结果保存在此。</translation>
    </message>
    <message>
        <source>Compare the %1 ticked runs</source>
        <translation>比较勾选的 %1 个运行</translation>
    </message>
    <message>
        <source>Compare the %1 selected runs</source>
        <translation>比较所选的 %1 个运行</translation>
    </message>
    <message>
        <source>Their timelines on one axis, and what differs</source>
        <translation>同一时间轴上的时间线及其差异</translation>
    </message>
    <message>
        <source>Train a scaled copy here</source>
        <translation>在此训练缩小的副本</translation>
    </message>
    <message>
        <source>A copy small enough for this computer. In both, the output layer costs %1 times as much as the layers of one device, so the bubble has the same cause; devices, microbatches and schedule stay.</source>
        <translation>足够小、可在本机运行的副本。在两者中，输出层的成本都是一个设备各层的 %1 倍，因此气泡的成因相同；设备、微批次和调度保持不变。</translation>
    </message>
    <message>
        <source>What the copy changes</source>
        <translation>副本的改动</translation>
    </message>
    <message>
        <source>Field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>This plan</source>
        <translation>此方案</translation>
    </message>
    <message>
        <source>Scaled copy</source>
        <translation>缩小的副本</translation>
    </message>
    <message>
        <source>Open the copy</source>
        <translation>打开副本</translation>
    </message>
    <message>
        <source>Makes it the current experiment; F5 trains it, undo brings this plan back.</source>
        <translation>将其设为当前实验；F5 训练它，撤销可恢复此方案。</translation>
    </message>
    <message>
        <source>&lt;b&gt;Schedule as text&lt;/b&gt;</source>
        <translation>&lt;b&gt;调度文本&lt;/b&gt;</translation>
    </message>
    <message>
        <source>Close the schedule&apos;s text</source>
        <translation>关闭调度文本</translation>
    </message>
    <message>
        <source>Close (Ctrl+Shift+E). What was changed stays</source>
        <translation>关闭（Ctrl+Shift+E）。修改会保留</translation>
    </message>
    <message>
        <source>What is wrong in the schedule</source>
        <translation>调度中的错误</translation>
    </message>
    <message>
        <source>Line %1, word %2: </source>
        <translation>第 %1 行，第 %2 个词：</translation>
    </message>
    <message>
        <source>Line %1: </source>
        <translation>第 %1 行：</translation>
    </message>
    <message>
        <source>Word %1: %2</source>
        <translation>第 %1 个词：%2</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>和另外 %1 个</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>搜索设置</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Only the prediction</source>
        <translation>仅预测</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Only the run that is shown</source>
        <translation>仅所示的运行</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>两者</translation>
    </message>
    <message>
        <source>Prediction above, run below</source>
        <translation>上为预测，下为运行</translation>
    </message>
    <message>
        <source>Only the run that is shown; the list beside it (Alt+Down) chooses run and step</source>
        <translation>仅所示的运行；旁边的列表（Alt+Down）选择运行和步</translation>
    </message>
    <message>
        <source>Layers of each stage</source>
        <translation>每个阶段的层数</translation>
    </message>
    <message>
        <source>Layers of each stage, as a strip</source>
        <translation>以条带显示每个阶段的层数</translation>
    </message>
    <message>
        <source>No cut: the experiment is not sound</source>
        <translation>无法划分：实验有误</translation>
    </message>
    <message>
        <source>Layers: %1. Border behind stage %2</source>
        <translation>层数：%1。阶段 %2 之后的边界</translation>
    </message>
    <message>
        <source>Stage %1: %2 %3</source>
        <translation>阶段 %1：%2 %3</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>No sound cut to show</source>
        <translation>没有可显示的有效划分</translation>
    </message>
    <message>
        <source>Drag a border, or choose one with ↑ ↓ and move it with ← →. A double click cuts automatically.</source>
        <translation>拖动边界，或用 ↑ ↓ 选择并用 ← → 移动。双击可自动划分。</translation>
    </message>
    <message>
        <source>fill and drain</source>
        <translation>填充与排空</translation>
    </message>
    <message>
        <source>unequal stages</source>
        <translation>阶段不均</translation>
    </message>
    <message>
        <source>vocabulary layers</source>
        <translation>词表层</translation>
    </message>
    <message>
        <source>barriers and messages</source>
        <translation>屏障和消息</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>idle of device 0</source>
        <translation>设备 0 的空闲</translation>
    </message>
    <message>
        <source>idle of devices 0 to %1</source>
        <translation>设备 0 至 %1 的空闲</translation>
    </message>
    <message>
        <source>No bubble to show yet: it appears with the first plan.</source>
        <translation>尚无气泡可显示：出现第一个方案后显示。</translation>
    </message>
    <message>
        <source>Bubble %1</source>
        <translation>气泡 %1</translation>
    </message>
    <message>
        <source>of all devices&apos; time · %1</source>
        <translation>占所有设备时间 · %1</translation>
    </message>
    <message>
        <source>%1 of all devices&apos; time</source>
        <translation>占所有设备时间的 %1</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>ln V = %1: a model that knows nothing</source>
        <translation>ln V = %1：一无所知的模型</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Device whose memory is shown</source>
        <translation>显示其内存的设备</translation>
    </message>
    <message>
        <source>Device whose memory is shown; it follows the selected pass</source>
        <translation>显示其内存的设备；随所选计算块变化</translation>
    </message>
    <message>
        <source>Fullest</source>
        <translation>占用最多</translation>
    </message>
    <message>
        <source>Device %1: peak %2</source>
        <translation>设备 %1：峰值 %2</translation>
    </message>
    <message>
        <source>, activations of %1 microbatch</source>
        <translation>，%1 个微批次的激活</translation>
    </message>
    <message>
        <source>, activations of %1 microbatches</source>
        <translation>，%1 个微批次的激活</translation>
    </message>
    <message>
        <source>Memory </source>
        <translation>内存 </translation>
    </message>
    <message>
        <source>%1%2 at %3</source>
        <translation>%1%2，于 %3</translation>
    </message>
    <message>
        <source>Peak: </source>
        <translation>峰值：</translation>
    </message>
    <message>
        <source>No memory figures</source>
        <translation>没有内存数据</translation>
    </message>
    <message>
        <source>capacity %1 </source>
        <translation>容量 %1 </translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Keys and mouse</source>
        <translation>按键与鼠标</translation>
    </message>
    <message>
        <source>About Stagelens</source>
        <translation>关于 Stagelens</translation>
    </message>
    <message>
        <source>&lt;p&gt;&lt;b&gt;Stagelens %1&lt;/b&gt;&lt;/p&gt;&lt;p&gt;Explorer and trainer of pipeline-parallel schedules with vocabulary parallelism.&lt;/p&gt;&lt;p&gt;GPL-3.0-or-later. Data: %2&lt;/p&gt;</source>
        <translation>&lt;p&gt;&lt;b&gt;Stagelens %1&lt;/b&gt;&lt;/p&gt;&lt;p&gt;具有词表并行的流水线并行调度的探索与训练工具。&lt;/p&gt;&lt;p&gt;GPL-3.0-or-later。数据：%2&lt;/p&gt;</translation>
    </message>
    <message>
        <source>A run is going on. What it has measured so far is kept.</source>
        <translation>正在运行。目前为止测得的数据会保留。</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>停止并关闭</translation>
    </message>
    <message>
        <source>Keep open</source>
        <translation>保持打开</translation>
    </message>
    <message>
        <source>From the next start, Stagelens uses the language of the desktop.</source>
        <translation>从下次启动起，Stagelens 使用桌面的语言。</translation>
    </message>
    <message>
        <source>From the next start, Stagelens uses this language: %1.</source>
        <translation>从下次启动起，Stagelens 使用此语言：%1。</translation>
    </message>
    <message>
        <source>All settings</source>
        <translation>所有设置</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Demo: the slow last device</source>
        <translation>演示：慢的最后一个设备</translation>
    </message>
    <message>
        <source>Textbook 1F1B</source>
        <translation>教科书式 1F1B</translation>
    </message>
    <message>
        <source>4B GPT on 8 A100, vocabulary 256k</source>
        <translation>8 块 A100 上的 4B GPT，词表 256k</translation>
    </message>
    <message>
        <source>Two schedules at equal memory</source>
        <translation>内存相同的两种调度</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>A model whose sizes were changed by hand</source>
        <translation>手动修改过尺寸的模型</translation>
    </message>
    <message>
        <source>None (teaching units)</source>
        <translation>无（教学单位）</translation>
    </message>
    <message>
        <source>One layer a stage and durations by hand</source>
        <translation>每阶段一层，时长手动给定</translation>
    </message>
    <message>
        <source>The order of the moment, to be changed by hand; or one from a file (--schedule-file FILE)</source>
        <translation>当前顺序，供手动修改；或来自文件的顺序（--schedule-file FILE）</translation>
    </message>
    <message>
        <source>Teaching units</source>
        <translation>教学单位</translation>
    </message>
    <message>
        <source>--uniform F=1,B=2,...: the same on every device</source>
        <translation>--uniform F=1,B=2,...：每个设备都相同</translation>
    </message>
    <message>
        <source>Durations from a file</source>
        <translation>来自文件的时长</translation>
    </message>
    <message>
        <source>--durations FILE: measured elsewhere, or by Experiment &gt; Costs from the run that is shown</source>
        <translation>--durations FILE：在别处测得，或由“实验 &gt; 采用所示运行的成本”得到</translation>
    </message>
    <message>
        <source>Milliseconds; one millisecond is one unit.</source>
        <translation>毫秒；一毫秒为一个单位。</translation>
    </message>
    <message>
        <source>Forward F</source>
        <translation>前向 F</translation>
    </message>
    <message>
        <source>Backward B</source>
        <translation>反向 B</translation>
    </message>
    <message>
        <source>Vocabulary S</source>
        <translation>词表 S</translation>
    </message>
    <message>
        <source>Vocabulary T</source>
        <translation>词表 T</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Costs</source>
        <translation>成本</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source> (pinned)</source>
        <translation>（已固定）</translation>
    </message>
    <message>
        <source>1F1B, vocabulary not split</source>
        <translation>1F1B，词表不拆分</translation>
    </message>
    <message>
        <source>, and its result takes %1 to arrive</source>
        <translation>，其结果需 %1 到达</translation>
    </message>
    <message>
        <source>, and the broadcast of its output takes %1</source>
        <translation>，其输出的广播需 %1</translation>
    </message>
    <message>
        <source>, and the barrier of the softmax statistics takes %1</source>
        <translation>，softmax 统计的屏障需 %1</translation>
    </message>
    <message>
        <source>, and the barrier that sums the gradients takes %1</source>
        <translation>，梯度求和的屏障需 %1</translation>
    </message>
    <message>
        <source>, and summing the embeddings takes %1</source>
        <translation>，嵌入求和需 %1</translation>
    </message>
    <message>
        <source>, and the broadcast of the embedding&apos;s gradient takes %1</source>
        <translation>，嵌入梯度的广播需 %1</translation>
    </message>
    <message>
        <source>%1, on device %2</source>
        <translation>%1，在设备 %2 上</translation>
    </message>
    <message>
        <source> for its first work</source>
        <translation>它的第一项工作</translation>
    </message>
    <message>
        <source>, which follows %1</source>
        <translation>，后接 %1</translation>
    </message>
    <message>
        <source> for the others to end</source>
        <translation>其他设备结束</translation>
    </message>
    <message>
        <source> though all that it needs is there</source>
        <translation>，尽管所需的都已就绪</translation>
    </message>
    <message>
        <source> for the message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source> for the collective of all devices</source>
        <translation>所有设备的集合通信</translation>
    </message>
    <message>
        <source> for %1, which a barrier waits for</source>
        <translation>%1，有一个屏障在等它</translation>
    </message>
    <message>
        <source> for the activation from %1</source>
        <translation>来自 %1 的激活</translation>
    </message>
    <message>
        <source> for the gradient from %1</source>
        <translation>来自 %1 的梯度</translation>
    </message>
    <message>
        <source>a forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source> for %1, while %2 could run if the device held more activations</source>
        <translation>%1；若设备能保留更多激活，则可运行 %2</translation>
    </message>
    <message>
        <source>%1 of microbatch %2, stage %3</source>
        <translation>微批次 %2 的 %1，阶段 %3</translation>
    </message>
    <message>
        <source>Device %1 has no work left after %2; the last pass of all ends at %3.</source>
        <translation>设备 %1 在 %2 之后没有剩余工作；最后一个计算块在 %3 结束。</translation>
    </message>
    <message>
        <source>Device %1 waits %2 (%3 to %4) for its next pass, %5.</source>
        <translation>设备 %1 等待 %2（%3 至 %4），之后是下一个计算块 %5。</translation>
    </message>
    <message>
        <source> It waits </source>
        <translation>它在等待</translation>
    </message>
    <message>
        <source>, then </source>
        <translation>，然后</translation>
    </message>
    <message>
        <source>this device</source>
        <translation>此设备</translation>
    </message>
    <message>
        <source>device %1</source>
        <translation>设备 %1</translation>
    </message>
    <message>
        <source> It needs %1, which ends on %2 at %3</source>
        <translation>它需要 %1，后者在 %2 上于 %3 结束</translation>
    </message>
    <message>
        <source>its message</source>
        <translation>其消息</translation>
    </message>
    <message>
        <source>the broadcast of its output</source>
        <translation>其输出的广播</translation>
    </message>
    <message>
        <source>the softmax statistics&apos; barrier</source>
        <translation>softmax 统计的屏障</translation>
    </message>
    <message>
        <source>the reduction of the gradient</source>
        <translation>梯度的归约</translation>
    </message>
    <message>
        <source>the sum of the embeddings</source>
        <translation>嵌入的求和</translation>
    </message>
    <message>
        <source>the broadcast of its gradient</source>
        <translation>其梯度的广播</translation>
    </message>
    <message>
        <source>The device then holds %1</source>
        <translation>此时设备保留 %1</translation>
    </message>
    <message>
        <source>On the critical path: any delay lengthens the iteration</source>
        <translation>在关键路径上：任何延迟都会延长迭代</translation>
    </message>
    <message>
        <source>Slack: %1</source>
        <translation>余量：%1</translation>
    </message>
    <message>
        <source>Began as soon as the device was free, after %1</source>
        <translation>设备一空闲即开始，在 %1 之后</translation>
    </message>
    <message>
        <source>Idle for %1 before</source>
        <translation>之前空闲 %1</translation>
    </message>
    <message>
        <source>Waited for nothing</source>
        <translation>没有等待</translation>
    </message>
    <message>
        <source>Waited %1 for %2 on device %3</source>
        <translation>等待设备 %3 上的 %2，用时 %1</translation>
    </message>
    <message>
        <source>: %1 until it ended, %2 for %3</source>
        <translation>：到其结束 %1，%3 用 %2</translation>
    </message>
    <message>
        <source>%1 of device %2</source>
        <translation>设备 %2 的 %1</translation>
    </message>
    <message>
        <source>the message of %1 from device %2</source>
        <translation>来自设备 %2 的 %1 的消息</translation>
    </message>
    <message>
        <source>%1 after %2</source>
        <translation>%1（在 %2 之后）</translation>
    </message>
    <message>
        <source>done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>idle until %1</source>
        <translation>空闲至 %1</translation>
    </message>
    <message>
        <source>waits for %1</source>
        <translation>等待 %1</translation>
    </message>
    <message>
        <source>Replicas sum their gradients</source>
        <translation>各副本对梯度求和</translation>
    </message>
    <message>
        <source>Replicas gather the updated parameters</source>
        <translation>各副本收集更新后的参数</translation>
    </message>
    <message>
        <source>%1 of device %2
Begins at %3, takes %4</source>
        <translation>设备 %2：%1
始于 %3，耗时 %4</translation>
    </message>
    <message>
        <source>
Each rank sends %1</source>
        <translation>
每个 rank 发送 %1</translation>
    </message>
    <message>
        <source>all devices</source>
        <translation>所有设备</translation>
    </message>
    <message>
        <source>device %1 to device %2</source>
        <translation>设备 %1 到设备 %2</translation>
    </message>
    <message>
        <source>%1 of microbatch %2, %3</source>
        <translation>微批次 %2 的%1，%3</translation>
    </message>
    <message>
        <source>
Begins at %1, takes %2</source>
        <translation>
始于 %1，耗时 %2</translation>
    </message>
    <message>
        <source>Stage %1, microbatch %2</source>
        <translation>阶段 %1，微批次 %2</translation>
    </message>
    <message>
        <source>Begins at %1, takes %2</source>
        <translation>始于 %1，耗时 %2</translation>
    </message>
    <message>
        <source>Vocabulary layers: all of it</source>
        <translation>词表层：全部</translation>
    </message>
    <message>
        <source>Vocabulary layers: %1 (%2 %)</source>
        <translation>词表层：%1（%2 %）</translation>
    </message>
    <message>
        <source>Vocabulary part: not known</source>
        <translation>词表部分：未知</translation>
    </message>
    <message>
        <source>Device %1 is idle</source>
        <translation>设备 %1 空闲</translation>
    </message>
    <message>
        <source>From %1: its work is done</source>
        <translation>自 %1 起：工作已完成</translation>
    </message>
    <message>
        <source>For %1, before %2</source>
        <translation>%1，在 %2 之前</translation>
    </message>
    <message>
        <source>Lanes</source>
        <translation>泳道</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Pass</source>
        <translation>计算块</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Begins</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>耗时</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>Why then</source>
        <translation>为何在此时</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source> · run %1</source>
        <translation> · 运行 %1</translation>
    </message>
    <message>
        <source>, step %1 of %2</source>
        <translation>，第 %1/%2 步</translation>
    </message>
    <message>
        <source>, the median</source>
        <translation>，中位数</translation>
    </message>
    <message>
        <source>preparing</source>
        <translation>准备中</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>第 %1/%2 步</translation>
    </message>
    <message>
        <source> · pass %1 of %2</source>
        <translation> · 计算块 %1/%2</translation>
    </message>
    <message>
        <source> · loss </source>
        <translation> · 损失 </translation>
    </message>
    <message>
        <source> · %1 left</source>
        <translation> · 剩余 %1</translation>
    </message>
    <message>
        <source>The stored runs cannot be read now. Stagelens tries again every second. </source>
        <translation>目前无法读取已存储的运行。Stagelens 每秒重试一次。</translation>
    </message>
    <message>
        <source>Results of this session are not being stored. </source>
        <translation>本次会话的结果未被存储。</translation>
    </message>
    <message>
        <source>Right click chooses columns</source>
        <translation>右键选择列</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Differs from baseline</source>
        <translation>与基准不同</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>“%1” is not a number; write whole numbers such as 8 or 32k, separated by spaces.</source>
        <translation>“%1”不是数字；请写 8 或 32k 这样的整数，以空格分隔。</translation>
    </message>
    <message>
        <source>Write the values to go through, such as 32k, 64k.</source>
        <translation>写下要依次取的值，例如 32k、64k。</translation>
    </message>
    <message>
        <source>Choose at least one method.</source>
        <translation>请至少选择一种方法。</translation>
    </message>
    <message>
        <source>These are %1 plans; at most %2 are swept at once. Use fewer values.</source>
        <translation>共 %1 个方案；一次最多扫描 %2 个。请减少取值。</translation>
    </message>
    <message>
        <source>Choose two different parameters.</source>
        <translation>请选择两个不同的参数。</translation>
    </message>
    <message>
        <source>This teaching example has no model: sweep devices or microbatches, or choose a model.</source>
        <translation>此教学示例没有模型：请扫描设备或微批次，或选择模型。</translation>
    </message>
    <message>
        <source>Does not fit: needs %1 of %2.</source>
        <translation>放不下：需要 %1，仅有 %2。</translation>
    </message>
    <message>
        <source>training run</source>
        <translation>次训练</translation>
    </message>
    <message>
        <source>training runs</source>
        <translation>次训练</translation>
    </message>
    <message>
        <source>prediction</source>
        <translation>次预测</translation>
    </message>
    <message>
        <source>predictions</source>
        <translation>次预测</translation>
    </message>
    <message>
        <source>, about </source>
        <translation>，约</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Against this plan</source>
        <translation>相对此方案</translation>
    </message>
    <message>
        <source>Front</source>
        <translation>前沿</translation>
    </message>
    <message>
        <source>A dot: no other choice that fits is both faster and smaller (Pareto front)</source>
        <translation>圆点：没有其他放得下的选择更快且更省（帕累托前沿）</translation>
    </message>
    <message>
        <source>not here</source>
        <translation>此处不可</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Hardware</source>
        <translation>硬件</translation>
    </message>
    <message>
        <source>Microbatches</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>Run settings</source>
        <translation>运行设置</translation>
    </message>
    <message>
        <source>Steps, data, optimizer, and where the run takes place</source>
        <translation>步数、数据、优化器以及在哪里运行</translation>
    </message>
    <message>
        <source>%1 · vocabulary </source>
        <translation>%1 · 词表 </translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message numerus="yes">
        <source>All settings (%n)</source>
        <translation>
            <numerusform>所有设置 (%n)</numerusform>
        </translation>
    </message>
    <message>
        <source>Every field of the experiment (Ctrl+E)</source>
        <translation>实验的每个字段（Ctrl+E）</translation>
    </message>
    <message>
        <source>Train here</source>
        <translation>在此训练</translation>
    </message>
    <message>
        <source>All training settings</source>
        <translation>所有训练设置</translation>
    </message>
    <message>
        <source>Whole iteration</source>
        <translation>整个迭代</translation>
    </message>
    <message>
        <source>F forward</source>
        <translation>F 前向</translation>
    </message>
    <message>
        <source>B backward</source>
        <translation>B 反向</translation>
    </message>
    <message>
        <source>I input gradient</source>
        <translation>I 输入梯度</translation>
    </message>
    <message>
        <source>W weight gradient</source>
        <translation>W 权重梯度</translation>
    </message>
    <message>
        <source>S output layer, softmax</source>
        <translation>S 输出层、softmax</translation>
    </message>
    <message>
        <source>U between barriers</source>
        <translation>U 屏障之间</translation>
    </message>
    <message>
        <source>T output layer, gradients</source>
        <translation>T 输出层、梯度</translation>
    </message>
    <message>
        <source>Embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>O optimizer</source>
        <translation>O 优化器</translation>
    </message>
    <message>
        <source>vocabulary share</source>
        <translation>词表份额</translation>
    </message>
    <message>
        <source>a to %1: chunks, each lighter</source>
        <translation>a 至 %1：分块，逐个变浅</translation>
    </message>
    <message>
        <source>and so on, in turn</source>
        <translation>依次循环</translation>
    </message>
    <message>
        <source>Chunk</source>
        <translation>分块</translation>
    </message>
    <message>
        <source>one a device</source>
        <translation>每设备一个</translation>
    </message>
    <message>
        <source>Slack</source>
        <translation>余量</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>to %1 %</source>
        <translation>至 %1 %</translation>
    </message>
    <message>
        <source>of the makespan</source>
        <translation>占总时长</translation>
    </message>
    <message>
        <source>messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>messages to the device</source>
        <translation>发往设备的消息</translation>
    </message>
    <message>
        <source>replicas</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>exchange of the replicas</source>
        <translation>副本间的交换</translation>
    </message>
    <message>
        <source>
Predicted %1, measured %2: %3; begins %4 %5 than predicted</source>
        <translation>
预测 %1，实测 %2：%3；比预测%5 %4 开始</translation>
    </message>
    <message>
        <source>earlier</source>
        <translation>早</translation>
    </message>
    <message>
        <source>later</source>
        <translation>晚</translation>
    </message>
    <message>
        <source>Nothing is on its way to device %1</source>
        <translation>没有数据正在发往设备 %1</translation>
    </message>
    <message>
        <source>
%1 passes stand here: zoom in to tell them apart</source>
        <translation>
此处有 %1 个计算块：放大可区分</translation>
    </message>
    <message>
        <source>%1
Drag it to another place of device %2</source>
        <translation>%1
拖到设备 %2 的另一位置</translation>
    </message>
    <message>
        <source>%1
Let go to put it here</source>
        <translation>%1
松开以放在此处</translation>
    </message>
    <message>
        <source>%1 cannot stand here
%2</source>
        <translation>%1 不能放在这里
%2</translation>
    </message>
    <message>
        <source>activations held</source>
        <translation>保留的激活</translation>
    </message>
    <message>
        <source>vocabulary layers inside them </source>
        <translation>其中的词表层 </translation>
    </message>
    <message>
        <source>Range %1 to %2: %3</source>
        <translation>范围 %1 至 %2：%3</translation>
    </message>
    <message>
        <source>Device %1: busy %2</source>
        <translation>设备 %1：忙碌 %2</translation>
    </message>
    <message>
        <source>: %1 passes, busy %2, idle %3</source>
        <translation>：%1 个计算块，忙碌 %2，空闲 %3</translation>
    </message>
    <message>
        <source>Device time: </source>
        <translation>设备时间：</translation>
    </message>
    <message>
        <source>and %1 more devices</source>
        <translation>和另外 %1 个设备</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>忙碌</translation>
    </message>
    <message>
        <source>now %1, %2</source>
        <translation>现为 %1，%2</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Find passes</source>
        <translation>查找计算块</translation>
    </message>
    <message>
        <source>B 17, stage 3, device 2</source>
        <translation>B 17、stage 3、device 2</translation>
    </message>
    <message>
        <source>Kind, microbatch, stage N, device N. Return goes on, Shift+Return back, Esc closes</source>
        <translation>类型、微批次、stage N、device N。Return 下一个，Shift+Return 上一个，Esc 关闭</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>上一个匹配</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一个匹配</translation>
    </message>
    <message>
        <source>write B 17 or stage 3</source>
        <translation>写 B 17 或 stage 3</translation>
    </message>
    <message>
        <source>no such pass</source>
        <translation>没有这样的计算块</translation>
    </message>
    <message>
        <source>%1 of %2 passes</source>
        <translation>计算块 %1/%2</translation>
    </message>
    <message>
        <source>No pass is selected: click one.</source>
        <translation>未选择计算块：请单击一个。</translation>
    </message>
    <message>
        <source>Loss after the last step</source>
        <translation>最后一步后的损失</translation>
    </message>
    <message>
        <source> is </source>
        <translation>为</translation>
    </message>
    <message>
        <source>: different kinds of measurement, so nothing is called better between them.</source>
        <translation>：测量方式不同，因此不评优劣。</translation>
    </message>
    <message>
        <source>They were measured on different machines, so nothing is called better between those.</source>
        <translation>它们在不同机器上测得，因此不评优劣。</translation>
    </message>
    <message>
        <source>%1 and A: %2</source>
        <translation>%1 与 A：%2</translation>
    </message>
    <message>
        <source>Not the same work, so nothing is called better: %1. Compare tokens/s.</source>
        <translation>工作不同，因此不评优劣：%1。请比较词元/秒。</translation>
    </message>
    <message>
        <source>run %1: %2</source>
        <translation>运行 %1：%2</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境</translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>scaled x%1</source>
        <translation>缩放 x%1</translation>
    </message>
    <message>
        <source>has no microbatch %1</source>
        <translation>没有微批次 %1</translation>
    </message>
    <message>
        <source>moved by </source>
        <translation>移动了</translation>
    </message>
    <message>
        <source>order </source>
        <translation>顺序 </translation>
    </message>
    <message>
        <source>A preset (see `list models`) or a Hugging Face config.json.</source>
        <translation>预设（见 `list models`）或 Hugging Face 的 config.json。</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>What a layer is made of: gpt or llama.</source>
        <translation>层的构成：gpt 或 llama。</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Transformer layers.</source>
        <translation>transformer 层数。</translation>
    </message>
    <message>
        <source>Hidden width</source>
        <translation>隐藏宽度</translation>
    </message>
    <message>
        <source>Hidden size: width of the residual stream.</source>
        <translation>隐藏大小：残差流的宽度。</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>注意力头</translation>
    </message>
    <message>
        <source>Attention heads; they divide the hidden size unless --head-dim is given.</source>
        <translation>注意力头数；除非给出 --head-dim，它须整除隐藏大小。</translation>
    </message>
    <message>
        <source>Key/value heads</source>
        <translation>键/值头</translation>
    </message>
    <message>
        <source>Key and value heads; they divide the heads (default: as many as heads).</source>
        <translation>键和值的头数；须整除头数（默认与头数相同）。</translation>
    </message>
    <message>
        <source>Inner width</source>
        <translation>内部宽度</translation>
    </message>
    <message>
        <source>Inner width of the MLP (default: 4h; llama 8h/3).</source>
        <translation>MLP 的内部宽度（默认 4h；llama 为 8h/3）。</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>Vocabulary size</source>
        <translation>词表大小</translation>
    </message>
    <message>
        <source>Tokens of the vocabulary: what the output layer&apos;s work grows with.</source>
        <translation>词表的词元数：输出层的工作随之增长。</translation>
    </message>
    <message>
        <source>Tied embeddings</source>
        <translation>共享嵌入</translation>
    </message>
    <message>
        <source>Input embedding and output projection share one matrix.</source>
        <translation>输入嵌入与输出投影共用一个矩阵。</translation>
    </message>
    <message>
        <source>Number format</source>
        <translation>数值格式</translation>
    </message>
    <message>
        <source>Width of a head</source>
        <translation>头的宽度</translation>
    </message>
    <message>
        <source>Channels of one head of a llama, an even number (default: h / a).</source>
        <translation>llama 一个头的通道数，须为偶数（默认 h / a）。</translation>
    </message>
    <message>
        <source>Pipeline devices.</source>
        <translation>流水线设备数。</translation>
    </message>
    <message>
        <source>Microbatches of a step.</source>
        <translation>一步的微批次数。</translation>
    </message>
    <message>
        <source>Microbatch size</source>
        <translation>微批次大小</translation>
    </message>
    <message>
        <source>Sequences of a microbatch.</source>
        <translation>一个微批次的序列数。</translation>
    </message>
    <message>
        <source>Layers of each stage, such as 2/2/2/2 (default: as even as possible).</source>
        <translation>每个阶段的层数，例如 2/2/2/2（默认尽量平均）。</translation>
    </message>
    <message>
        <source>ZeRO</source>
        <translation>ZeRO</translation>
    </message>
    <message>
        <source>Order of ranks</source>
        <translation>rank 的顺序</translation>
    </message>
    <message>
        <source>Axes from adjacent ranks to the slowest: a permutation of tp-cp-dp-pp.</source>
        <translation>从相邻 rank 到最慢的各轴：tp-cp-dp-pp 的一个排列。</translation>
    </message>
    <message>
        <source>The order in which each device runs its passes: see `list schedules`; auto searches them.</source>
        <translation>每个设备执行计算块的顺序：见 `list schedules`；auto 会搜索它们。</translation>
    </message>
    <message>
        <source>Schedule file</source>
        <translation>调度文件</translation>
    </message>
    <message>
        <source>A custom schedule: Stagelens&apos; text form, or a CSV of PyTorch&apos;s pipelining; - is standard input.</source>
        <translation>自定义调度：Stagelens 的文本格式，或 PyTorch pipelining 的 CSV；- 为标准输入。</translation>
    </message>
    <message>
        <source>Where the input embedding and the output layer are computed: see `list vocabularies`.</source>
        <translation>输入嵌入和输出层在哪里计算：见 `list vocabularies`。</translation>
    </message>
    <message>
        <source>Order of S and T</source>
        <translation>S 和 T 的顺序</translation>
    </message>
    <message>
        <source>Where the vocabulary passes stand among the others: published or best.</source>
        <translation>词表计算块在其他计算块间的位置：published 或 best。</translation>
    </message>
    <message>
        <source>Chunks</source>
        <translation>分块数</translation>
    </message>
    <message>
        <source>Stages of each device (interleaved families; 2).</source>
        <translation>每个设备的阶段数（交错调度族；2）。</translation>
    </message>
    <message>
        <source>Group size</source>
        <translation>组大小</translation>
    </message>
    <message>
        <source>Microbatches that go through a chunk before the next chunk&apos;s turn (interleaved families; p); a rest that would not fill the pipeline makes groups larger.</source>
        <translation>在轮到下一个分块之前通过一个分块的微批次数（交错调度族；p）；填不满流水线的余数会使组变大。</translation>
    </message>
    <message>
        <source>Waves</source>
        <translation>波数</translation>
    </message>
    <message>
        <source>Times down and up the devices, two chunks each (hanayo; 1).</source>
        <translation>在设备上往返的次数，每次两个分块（hanayo；1）。</translation>
    </message>
    <message>
        <source>Memory limit (GiB)</source>
        <translation>内存上限 (GiB)</translation>
    </message>
    <message>
        <source>Most memory of a device, such as 80GiB; what needs more is refused, and families that adapt keep to it.</source>
        <translation>一个设备的最大内存，例如 80GiB；超出的被拒绝，可调整的调度族会遵守它。</translation>
    </message>
    <message>
        <source>Recomputation</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Flash computes the probabilities again in the backward; materialised keeps them, a s x s matrix for each head.</source>
        <translation>flash 在反向中重新计算概率；materialised 保留它们，每个头一个 s x s 矩阵。</translation>
    </message>
    <message>
        <source>Costs for</source>
        <translation>成本取自</translation>
    </message>
    <message>
        <source>Whose speed the prediction assumes: see `list hardware`.</source>
        <translation>预测所假设的速度：见 `list hardware`。</translation>
    </message>
    <message>
        <source>Durations</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Milliseconds of each pass of one stage: F B I W S T U EF EB, of messages: send c0 c1 c2.</source>
        <translation>一个阶段各计算块的毫秒数：F B I W S T U EF EB，消息：send c0 c1 c2。</translation>
    </message>
    <message>
        <source>Durations of</source>
        <translation>时长对应</translation>
    </message>
    <message>
        <source>Stage (each chunk takes the time given) or device (each of v chunks takes 1/v).</source>
        <translation>stage（每个分块用所给时间）或 device（v 个分块各用 1/v）。</translation>
    </message>
    <message>
        <source>Durations file</source>
        <translation>时长文件</translation>
    </message>
    <message>
        <source>CSV with the header device,stage,pass,duration_us.</source>
        <translation>表头为 device,stage,pass,duration_us 的 CSV。</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>Whether collectives run beside the passes or keep the devices waiting: overlapped or blocking.</source>
        <translation>集合通信与计算块并行，还是让设备等待：overlapped 或 blocking。</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>后端</translation>
    </message>
    <message>
        <source>What computes the passes when the plan is trained: see `list backends`.</source>
        <translation>训练方案时由什么计算：见 `list backends`。</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>时钟</translation>
    </message>
    <message>
        <source>Live: all devices at once; virtual-clock: each pass measured alone, concurrency simulated.</source>
        <translation>live：所有设备同时运行；virtual-clock：每个计算块单独测量，并发为模拟。</translation>
    </message>
    <message>
        <source>Training steps.</source>
        <translation>训练步数。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Of parameters, synthetic data and the places of a text&apos;s sequences.</source>
        <translation>参数、合成数据和文本序列位置的种子。</translation>
    </message>
    <message>
        <source>Text or tokens</source>
        <translation>文本或词元</translation>
    </message>
    <message>
        <source>Synthetic, a text file, a folder of texts or a .bin token file (nanoGPT, llm.c).</source>
        <translation>合成数据、文本文件、文本文件夹或 .bin 词元文件（nanoGPT、llm.c）。</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Learning rate.</source>
        <translation>学习率。</translation>
    </message>
    <message>
        <source>Betas</source>
        <translation>Beta</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>权重衰减</translation>
    </message>
    <message>
        <source>Gradient clipping</source>
        <translation>梯度裁剪</translation>
    </message>
    <message>
        <source>Greatest norm of the whole gradient.</source>
        <translation>整个梯度的最大范数。</translation>
    </message>
    <message>
        <source>GPT-2</source>
        <translation>GPT-2</translation>
    </message>
    <message>
        <source>Learned positions, LayerNorm, GELU, biases</source>
        <translation>可学习位置、LayerNorm、GELU、偏置</translation>
    </message>
    <message>
        <source>Llama</source>
        <translation>Llama</translation>
    </message>
    <message>
        <source>Rotary positions, RMSNorm, SwiGLU, grouped-query attention</source>
        <translation>旋转位置、RMSNorm、SwiGLU、分组查询注意力</translation>
    </message>
    <message>
        <source>As published</source>
        <translation>按发表</translation>
    </message>
    <message>
        <source>The order of the paper, or the family&apos;s nearest to it</source>
        <translation>论文中的顺序，或该调度族最接近它的顺序</translation>
    </message>
    <message>
        <source>Best for these costs</source>
        <translation>对此成本最佳</translation>
    </message>
    <message>
        <source>Placed for the costs at hand; never longer than the published order</source>
        <translation>按当前成本放置；不会比发表的顺序更长</translation>
    </message>
    <message>
        <source>Flash</source>
        <translation>Flash</translation>
    </message>
    <message>
        <source>Probabilities are never stored: the backward computes them again</source>
        <translation>从不存储概率：反向时重新计算</translation>
    </message>
    <message>
        <source>Materialised</source>
        <translation>保留矩阵</translation>
    </message>
    <message>
        <source>Probabilities stay in memory from F to B, s x s numbers for each head</source>
        <translation>概率从 F 到 B 留在内存中，每个头 s x s 个数</translation>
    </message>
    <message>
        <source>A device&apos;s share</source>
        <translation>设备的份额</translation>
    </message>
    <message>
        <source>Each of v chunks takes 1/v: the work stays the same</source>
        <translation>v 个分块各用 1/v：工作量不变</translation>
    </message>
    <message>
        <source>Each chunk</source>
        <translation>每个分块</translation>
    </message>
    <message>
        <source>With v chunks a device has v times the work</source>
        <translation>v 个分块时设备有 v 倍的工作</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>This machine&apos;s processor</source>
        <translation>本机的处理器</translation>
    </message>
    <message>
        <source>CUDA</source>
        <translation>CUDA</translation>
    </message>
    <message>
        <source>NVIDIA GPUs</source>
        <translation>NVIDIA GPU</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Live while devices &lt;= cores, else virtual clock</source>
        <translation>设备数 &lt;= 核心数时实时，否则虚拟时钟</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Wall clock, all devices at once</source>
        <translation>墙上时钟，所有设备同时运行</translation>
    </message>
    <message>
        <source>Virtual clock</source>
        <translation>虚拟时钟</translation>
    </message>
    <message>
        <source>Each pass measured alone, concurrency simulated</source>
        <translation>每个计算块单独测量，并发为模拟</translation>
    </message>
    <message>
        <source>On first and last device</source>
        <translation>在首尾设备上</translation>
    </message>
    <message>
        <source>not split</source>
        <translation>不拆分</translation>
    </message>
    <message>
        <source>Layers rebalanced</source>
        <translation>层重新平衡</translation>
    </message>
    <message>
        <source>rebalancing</source>
        <translation>重新平衡</translation>
    </message>
    <message>
        <source>Split, naive: 3 barriers</source>
        <translation>拆分，朴素：3 个屏障</translation>
    </message>
    <message>
        <source>naive split</source>
        <translation>朴素拆分</translation>
    </message>
    <message>
        <source>VOCAB-1: split, 2 barriers</source>
        <translation>VOCAB-1：拆分，2 个屏障</translation>
    </message>
    <message>
        <source>VOCAB-1</source>
        <translation>VOCAB-1</translation>
    </message>
    <message>
        <source>VOCAB-2: split, 1 barrier</source>
        <translation>VOCAB-2：拆分，1 个屏障</translation>
    </message>
    <message>
        <source>VOCAB-2</source>
        <translation>VOCAB-2</translation>
    </message>
    <message>
        <source>Split, all devices at once</source>
        <translation>拆分，所有设备同时</translation>
    </message>
    <message>
        <source>interlaced split</source>
        <translation>交织拆分</translation>
    </message>
    <message>
        <source>all forwards, then all backwards; keeps every microbatch in memory</source>
        <translation>先全部前向，再全部反向；所有微批次都留在内存中</translation>
    </message>
    <message>
        <source>one forward, one backward in turn; keeps at most as many microbatches as there are devices</source>
        <translation>一个前向、一个反向轮流；最多保留与设备数相同的微批次</translation>
    </message>
    <message>
        <source>1F1B with twice as many forwards ahead, so that messages have time; about twice the memory</source>
        <translation>提前前向数加倍的 1F1B，使消息有时间传输；内存约两倍</translation>
    </message>
    <message>
        <source>several chunks a device shorten the bubble, for more messages and a little more memory</source>
        <translation>每设备多个分块缩短气泡，消息更多，内存稍多</translation>
    </message>
    <message>
        <source>several chunks a device, all microbatches through one before the next; keeps every microbatch</source>
        <translation>每设备多个分块，所有微批次先通过一个再到下一个；保留所有微批次</translation>
    </message>
    <message>
        <source>splits the backward; weight gradients fill two thirds of 1F1B&apos;s bubble in 1F1B&apos;s memory</source>
        <translation>拆分反向；权重梯度在 1F1B 的内存下填补其三分之二的气泡</translation>
    </message>
    <message>
        <source>splits the backward; no bubble is left but the slant where F, I and W last alike, in twice the memory</source>
        <translation>拆分反向；当 F、I、W 等长时除斜边外没有气泡，内存两倍</translation>
    </message>
    <message>
        <source>several chunks a device and a split backward</source>
        <translation>每设备多个分块且拆分反向</translation>
    </message>
    <message>
        <source>splits the backward and orders its passes for the costs at hand, within a memory limit</source>
        <translation>拆分反向，并在内存上限内按当前成本安排计算块</translation>
    </message>
    <message>
        <source>two chunks a device in a V; no bubble is left but half the slant where F, I and W last alike, in 1F1B&apos;s memory</source>
        <translation>每设备两个分块成 V 形；F、I、W 等长时只剩一半斜边的气泡，内存同 1F1B</translation>
    </message>
    <message>
        <source>two chunks a device in a V; half of 1F1B&apos;s memory, and half of its bubble where F, I and W last alike</source>
        <translation>每设备两个分块成 V 形；内存为 1F1B 的一半，F、I、W 等长时气泡也为一半</translation>
    </message>
    <message>
        <source>two chunks a device in a V; a third of 1F1B&apos;s memory, and two thirds of its bubble where F, I and W last alike</source>
        <translation>每设备两个分块成 V 形；内存为 1F1B 的三分之一，F、I、W 等长时气泡为三分之二</translation>
    </message>
    <message>
        <source>two chunks a device in a V, the order found for the durations; little bubble, in 1F1B&apos;s memory</source>
        <translation>每设备两个分块成 V 形，按时长寻找顺序；气泡小，内存同 1F1B</translation>
    </message>
    <message>
        <source>two chunks a device in a V, backward whole; two thirds of 1F1B&apos;s memory, its bubble where B &gt;= 2F</source>
        <translation>每设备两个分块成 V 形，反向不拆分；内存为 1F1B 的三分之二，B &gt;= 2F 时气泡相同</translation>
    </message>
    <message>
        <source>the vocabulary layers sharded as in tensor parallelism: all devices run them at once</source>
        <translation>词表层如张量并行一样分片：所有设备同时计算</translation>
    </message>
    <message>
        <source>two copies of the model in opposite directions; a forward and a backward overlap</source>
        <translation>两份模型方向相反；一个前向与一个反向重叠</translation>
    </message>
    <message>
        <source>DualPipe on half of its devices: the model once, two chunks a device in a V</source>
        <translation>一半设备上的 DualPipe：一份模型，每设备两个分块成 V 形</translation>
    </message>
    <message>
        <source>two copies of the model in opposite directions fill each other&apos;s bubbles</source>
        <translation>两份方向相反的模型互相填补气泡</translation>
    </message>
    <message>
        <source>waves down and up the devices, two chunks each, shorten the bubble for more messages</source>
        <translation>沿设备往返的波，每次两个分块，缩短气泡但消息更多</translation>
    </message>
    <message>
        <source>1F1B without a flush: an update after every backward, and each microbatch keeps its weights</source>
        <translation>不排空的 1F1B：每次反向后更新，每个微批次保留其权重</translation>
    </message>
    <message>
        <source>1F1B without a flush: one update a step, a step late, with two versions of the weights</source>
        <translation>不清空的 1F1B：每步更新一次，滞后一步，保留两个版本的权重</translation>
    </message>
    <message>
        <source>NVIDIA A100 SXM 80 GB: 312 TFLOP/s, 2.0 TB/s, 8 a node with NVLink, RoCE between nodes; fitted to the runs of arXiv 2411.05288</source>
        <translation>NVIDIA A100 SXM 80 GB：312 TFLOP/s，2.0 TB/s，每节点 8 块以 NVLink 相连，节点间 RoCE；按 arXiv 2411.05288 的运行拟合</translation>
    </message>
    <message>
        <source>NVIDIA B200 180 GB: 2250 TFLOP/s, 8 TB/s, 8 a node with NVLink, InfiniBand between nodes</source>
        <translation>NVIDIA B200 180 GB：2250 TFLOP/s，8 TB/s，每节点 8 块以 NVLink 相连，节点间 InfiniBand</translation>
    </message>
    <message>
        <source>this machine, one core a device (general values until it is calibrated)</source>
        <translation>本机，每个设备一个核心（校准前为一般值）</translation>
    </message>
    <message>
        <source>NVIDIA H100 SXM 80 GB: 989 TFLOP/s, 3.35 TB/s, 8 a node with NVLink, InfiniBand between nodes; collectives as measured on H200 (the same NVLink) and, between nodes, on B200 (the same network)</source>
        <translation>NVIDIA H100 SXM 80 GB：989 TFLOP/s，3.35 TB/s，每节点 8 块以 NVLink 相连，节点间 InfiniBand；集合通信按 H200（同样的 NVLink）实测，节点间按 B200（同样的网络）实测</translation>
    </message>
    <message>
        <source>NVIDIA H200 SXM 141 GB: 989 TFLOP/s, 4.8 TB/s, 8 a node with NVLink, InfiniBand between nodes; collectives between nodes as measured on B200 (the same network)</source>
        <translation>NVIDIA H200 SXM 141 GB：989 TFLOP/s，4.8 TB/s，每节点 8 块以 NVLink 相连，节点间 InfiniBand；节点间集合通信按 B200（同样的网络）实测</translation>
    </message>
    <message>
        <source>AMD Instinct MI300X 192 GB: 1307 TFLOP/s, 5.3 TB/s, 8 a node with Infinity Fabric, RoCE between nodes</source>
        <translation>AMD Instinct MI300X 192 GB：1307 TFLOP/s，5.3 TB/s，每节点 8 块以 Infinity Fabric 相连，节点间 RoCE</translation>
    </message>
    <message>
        <source>NVIDIA GeForce RTX 4090 24 GB: 165 TFLOP/s, 1.0 TB/s, 8 a node over PCIe 4 through the host</source>
        <translation>NVIDIA GeForce RTX 4090 24 GB：165 TFLOP/s，1.0 TB/s，每节点 8 块经主机以 PCIe 4 相连</translation>
    </message>
    <message>
        <source>Gemma 2 27B in shape, computed as a Llama: 256k vocabulary</source>
        <translation>形状同 Gemma 2 27B，按 Llama 计算：词表 256k</translation>
    </message>
    <message>
        <source>Gemma 2 2B in shape, computed as a Llama: 256k vocabulary</source>
        <translation>形状同 Gemma 2 2B，按 Llama 计算：词表 256k</translation>
    </message>
    <message>
        <source>Gemma 2 9B in shape, computed as a Llama: 256k vocabulary, about five layers&apos; worth of output layer</source>
        <translation>形状同 Gemma 2 9B，按 Llama 计算：词表 256k，输出层约相当于五层</translation>
    </message>
    <message>
        <source>the 10B model of arXiv 2411.05288, table 1 (1F1B on 16 devices); 256k vocabulary</source>
        <translation>arXiv 2411.05288 表 1 的 10B 模型（16 个设备上的 1F1B）；词表 256k</translation>
    </message>
    <message>
        <source>the 16B model of arXiv 2411.05288, table 2 (V-Half on 24 devices); 256k vocabulary</source>
        <translation>arXiv 2411.05288 表 2 的 16B 模型（24 个设备上的 V-Half）；词表 256k</translation>
    </message>
    <message>
        <source>the 21B model of arXiv 2411.05288, table 1 (1F1B on 32 devices); 256k vocabulary</source>
        <translation>arXiv 2411.05288 表 1 的 21B 模型（32 个设备上的 1F1B）；词表 256k</translation>
    </message>
    <message>
        <source>the 30B model of arXiv 2411.05288, table 2 (V-Half on 32 devices); 256k vocabulary</source>
        <translation>arXiv 2411.05288 表 2 的 30B 模型（32 个设备上的 V-Half）；词表 256k</translation>
    </message>
    <message>
        <source>the 4B model of arXiv 2411.05288, table 1 (1F1B on 8 devices); 256k vocabulary</source>
        <translation>arXiv 2411.05288 表 1 的 4B 模型（8 个设备上的 1F1B）；词表 256k</translation>
    </message>
    <message>
        <source>the 7B model of arXiv 2411.05288, table 2 (V-Half on 16 devices); 256k vocabulary</source>
        <translation>arXiv 2411.05288 表 2 的 7B 模型（16 个设备上的 V-Half）；词表 256k</translation>
    </message>
    <message>
        <source>small GPT for a laptop; its output layer costs as much as 4.6 of its transformer layers</source>
        <translation>适合笔记本电脑的小型 GPT；其输出层的成本相当于 4.6 个 transformer 层</translation>
    </message>
    <message>
        <source>GPT-2 small as published: 12 layers, tied vocabulary</source>
        <translation>按发表的 GPT-2 small：12 层，共享词表</translation>
    </message>
    <message>
        <source>Llama 3 and 3.1 8B: grouped-query attention, 128k vocabulary</source>
        <translation>Llama 3 和 3.1 8B：分组查询注意力，词表 128k</translation>
    </message>
    <message>
        <source>Llama 3.1 405B in shape: grouped-query attention, 128k vocabulary</source>
        <translation>形状同 Llama 3.1 405B：分组查询注意力，词表 128k</translation>
    </message>
    <message>
        <source>Llama 3.1 70B in shape: grouped-query attention, 128k vocabulary</source>
        <translation>形状同 Llama 3.1 70B：分组查询注意力，词表 128k</translation>
    </message>
    <message>
        <source>small Llama for a laptop, with grouped-query attention</source>
        <translation>适合笔记本电脑的小型 Llama，使用分组查询注意力</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>the vocabulary layers</source>
        <translation>词表层</translation>
    </message>
    <message>
        <source>the output layer</source>
        <translation>输出层</translation>
    </message>
    <message>
        <source>the input embedding</source>
        <translation>输入嵌入</translation>
    </message>
    <message>
        <source>One device does all the work.</source>
        <translation>一个设备完成所有工作。</translation>
    </message>
    <message>
        <source>The devices are evenly loaded; they idle %1 of the time.</source>
        <translation>各设备负载均匀；其 %1 的时间空闲。</translation>
    </message>
    <message>
        <source>Device %1 holds the others up: </source>
        <translation>设备 %1 拖慢了其他设备：</translation>
    </message>
    <message>
        <source>%1 of its work is %2; </source>
        <translation>其工作的 %1 是%2；</translation>
    </message>
    <message>
        <source>it has the most work; </source>
        <translation>它的工作最多；</translation>
    </message>
    <message>
        <source>the others idle %1 of the time.</source>
        <translation>其他设备有 %1 的时间空闲。</translation>
    </message>
    <message>
        <source>Device %1 %2.</source>
        <translation>设备 %1 %2。</translation>
    </message>
    <message>
        <source>Try </source>
        <translation>尝试 </translation>
    </message>
    <message>
        <source>Also: </source>
        <translation>另外：</translation>
    </message>
    <message>
        <source> %1 would make the iteration about %2 as fast.</source>
        <translation>使用 %1 可使迭代速度约为现在的 %2。</translation>
    </message>
    <message>
        <source>A custom order has its own vocabulary method; choose a family to try another.</source>
        <translation>自定义顺序有自己的词表方法；要尝试其他方法请选择一种调度族。</translation>
    </message>
    <message>
        <source>No vocabulary method makes this plan more than 1 % faster at this memory (predicted). Schedules were not tried.</source>
        <translation>没有词表方法能在此内存下使该方案快 1 % 以上（预测）。未尝试调度。</translation>
    </message>
    <message>
        <source>selective recomputation</source>
        <translation>选择性重计算</translation>
    </message>
    <message>
        <source>full recomputation</source>
        <translation>完全重计算</translation>
    </message>
    <message>
        <source>%1 devices</source>
        <translation>%1 个设备</translation>
    </message>
    <message>
        <source>An iteration takes %1, and the devices idle %2 of the time (predicted).</source>
        <translation>一次迭代需 %1，设备有 %2 的时间空闲（预测）。</translation>
    </message>
    <message>
        <source>Your own</source>
        <translation>您自己的</translation>
    </message>
    <message>
        <source>Asynchronous</source>
        <translation>异步</translation>
    </message>
    <message>
        <source>Bidirectional</source>
        <translation>双向</translation>
    </message>
    <message>
        <source>V: a device has the first and the last stages</source>
        <translation>V 形：一个设备拥有最前和最后的阶段</translation>
    </message>
    <message>
        <source>Interleaved: a device has several chunks</source>
        <translation>交错：一个设备有多个分块</translation>
    </message>
    <message>
        <source>Zero bubble: the backward is split</source>
        <translation>零气泡：拆分反向</translation>
    </message>
    <message>
        <source>Classic</source>
        <translation>经典</translation>
    </message>
    <message>
        <source>Split over all devices</source>
        <translation>拆分到所有设备</translation>
    </message>
    <message>
        <source>Whole layers</source>
        <translation>整层</translation>
    </message>
    <message>
        <source>another model</source>
        <translation>另一个模型</translation>
    </message>
    <message>
        <source>as the baseline</source>
        <translation>作为基准</translation>
    </message>
    <message>
        <source>Run %1</source>
        <translation>运行 %1</translation>
    </message>
    <message>
        <source>The run</source>
        <translation>该运行</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>was interrupted</source>
        <translation>被中断</translation>
    </message>
    <message>
        <source>needs %1 of %2 %3</source>
        <translation>需要 %1，仅有 %2 %3</translation>
    </message>
    <message>
        <source>CPU, </source>
        <translation>CPU，</translation>
    </message>
    <message>
        <source>live, %1 devices on %2 cores</source>
        <translation>实时，%2 个核心上 %1 个设备</translation>
    </message>
    <message>
        <source>virtual clock, because %1 devices &gt; %2 cores</source>
        <translation>虚拟时钟，因为 %1 个设备 &gt; %2 个核心</translation>
    </message>
    <message>
        <source>virtual clock, as chosen</source>
        <translation>虚拟时钟，按所选</translation>
    </message>
    <message>
        <source>; about </source>
        <translation>；约</translation>
    </message>
    <message>
        <source>not available: </source>
        <translation>不可用：</translation>
    </message>
    <message>
        <source>%1, %2 cores, %3</source>
        <translation>%1，%2 个核心，%3</translation>
    </message>
    <message>
        <source>This plan cannot be trained. </source>
        <translation>无法训练此方案。</translation>
    </message>
    <message>
        <source>The plan is being computed.</source>
        <translation>正在计算方案。</translation>
    </message>
    <message>
        <source>This teaching example has no model to train. Choose a model.</source>
        <translation>此教学示例没有可训练的模型。请选择模型。</translation>
    </message>
    <message>
        <source>%1 microbatches</source>
        <translation>%1 个微批次</translation>
    </message>
    <message>
        <source>no clear difference</source>
        <translation>无明显差异</translation>
    </message>
    <message>
        <source>better </source>
        <translation>更好 </translation>
    </message>
    <message>
        <source>worse </source>
        <translation>更差 </translation>
    </message>
    <message>
        <source>%1%2 point</source>
        <translation>%1%2 个百分点</translation>
    </message>
    <message>
        <source>%1%2 points</source>
        <translation>%1%2 个百分点</translation>
    </message>
    <message>
        <source> min</source>
        <translation> 分钟</translation>
    </message>
    <message>
        <source> h</source>
        <translation> 小时</translation>
    </message>
    <message>
        <source>Custom order</source>
        <translation>自定义顺序</translation>
    </message>
    <message>
        <source>Published</source>
        <translation>已发表</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>simulated from the costs of each pass</source>
        <translation>由每个计算块的成本模拟得到</translation>
    </message>
    <message>
        <source>wall clock, all devices at once</source>
        <translation>墙上时钟，所有设备同时运行</translation>
    </message>
    <message>
        <source>each pass measured alone, concurrency simulated</source>
        <translation>每个计算块单独测量，并发为模拟</translation>
    </message>
    <message>
        <source>from a paper</source>
        <translation>来自论文</translation>
    </message>
    <message>
        <source>from another program&apos;s trace</source>
        <translation>来自其他程序的轨迹</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>Custom: </source>
        <translation>自定义：</translation>
    </message>
    <message>
        <source> · %1 devices × %2 microbatches</source>
        <translation> · %1 个设备 × %2 个微批次</translation>
    </message>
    <message>
        <source> × %1 replicas</source>
        <translation> × %1 个副本</translation>
    </message>
    <message>
        <source>Groups of up to %1 microbatches: the rest would not fill the pipeline.</source>
        <translation>每组最多 %1 个微批次：其余的无法填满流水线。</translation>
    </message>
    <message>
        <source>this computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>teaching units</source>
        <translation>教学单位</translation>
    </message>
    <message>
        <source>a durations file</source>
        <translation>时长文件</translation>
    </message>
    <message>
        <source>No run on %1 was measured: its costs are estimates from published figures.</source>
        <translation>没有在 %1 上实测的运行：其成本由公布的数据估计。</translation>
    </message>
    <message>
        <source>Tokens of a microbatch</source>
        <translation>微批次的词元数</translation>
    </message>
    <message>
        <source>%1: %L2, measured %L3 to %L4</source>
        <translation>%1：%L2，实测范围 %L3 至 %L4</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source> parameters</source>
        <translation> 参数</translation>
    </message>
    <message>
        <source>%1 was not opened. %2</source>
        <translation>未打开 %1。%2</translation>
    </message>
    <message>
        <source>A run is going on. Stop it with Shift+F5.</source>
        <translation>正在运行。按 Shift+F5 停止。</translation>
    </message>
    <message>
        <source>Run %1 measured this plan in milliseconds; teaching units have no common axis with it. Choose the costs of this computer to see both.</source>
        <translation>运行 %1 以毫秒测量了此方案；教学单位与它没有共同的时间轴。请选择本机的成本以同时查看两者。</translation>
    </message>
    <message>
        <source>By pass kind…</source>
        <translation>按计算块类型…</translation>
    </message>
    <message>
        <source>Where the measured time differs from the predicted one</source>
        <translation>实测时间与预测的差异所在</translation>
    </message>
    <message>
        <source>Measured against predicted, by pass kind</source>
        <translation>按计算块类型比较实测与预测</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>离散</translation>
    </message>
    <message>
        <source>Passes that the prediction and the run both have</source>
        <translation>预测与运行都有的计算块</translation>
    </message>
    <message>
        <source>Median duration of a pass</source>
        <translation>一个计算块的时长中位数</translation>
    </message>
    <message>
        <source>Of the two medians</source>
        <translation>两个中位数之差</translation>
    </message>
    <message>
        <source>Half of the passes differ from their prediction by this much</source>
        <translation>一半的计算块与其预测相差在此范围</translation>
    </message>
    <message>
        <source>Measured less predicted, of all passes of the kind</source>
        <translation>该类型所有计算块的实测减预测</translation>
    </message>
    <message>
        <source>The machine was probably busy with other work: half of the steps took %1 to %2, although each does the same work. Train again when it is idle.</source>
        <translation>机器可能在忙于其他工作：一半的步用时在 %1 到 %2 之间，而每步的工作相同。请在空闲时重新训练。</translation>
    </message>
    <message>
        <source>The iteration: predicted %1, measured %2. What the passes do not explain is waiting and messages.</source>
        <translation>迭代：预测 %1，实测 %2。计算块不能解释的部分是等待和消息。</translation>
    </message>
    <message>
        <source>fp32</source>
        <translation>fp32</translation>
    </message>
    <message>
        <source>bf16</source>
        <translation>bf16</translation>
    </message>
    <message>
        <source>fp16</source>
        <translation>fp16</translation>
    </message>
    <message>
        <source>hidden / heads</source>
        <translation>隐藏宽度 / 头数</translation>
    </message>
    <message>
        <source>Replicas</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>Data-parallel copies of the pipeline, each with its own microbatches.</source>
        <translation>流水线的数据并行副本，各有自己的微批次。</translation>
    </message>
    <message>
        <source>whole, on the first and the last stage</source>
        <translation>完整地在首尾阶段</translation>
    </message>
    <message>
        <source>whole, with the transformer layers redistributed to balance the stages</source>
        <translation>完整，重新分配 transformer 层以平衡各阶段</translation>
    </message>
    <message>
        <source>sharded over all devices, three barriers</source>
        <translation>分片到所有设备，三个屏障</translation>
    </message>
    <message>
        <source>sharded over all devices, two barriers (arXiv 2411.05288, algorithm 1)</source>
        <translation>分片到所有设备，两个屏障（arXiv 2411.05288，算法 1）</translation>
    </message>
    <message>
        <source>sharded over all devices, one barrier (arXiv 2411.05288, algorithm 2)</source>
        <translation>分片到所有设备，一个屏障（arXiv 2411.05288，算法 2）</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Selective</source>
        <translation>选择性</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>完全</translation>
    </message>
    <message>
        <source>Overlap with passes</source>
        <translation>与计算块重叠</translation>
    </message>
    <message>
        <source>Block the devices</source>
        <translation>阻塞设备</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>AdamW</source>
        <translation>AdamW</translation>
    </message>
    <message>
        <source>mean and square of the gradient, and a decay of weights</source>
        <translation>梯度的均值与平方，以及权重衰减</translation>
    </message>
    <message>
        <source>The baseline is being predicted…</source>
        <translation>正在预测基准…</translation>
    </message>
    <message>
        <source>As &amp;morph</source>
        <translation>以变形显示(&amp;M)</translation>
    </message>
    <message>
        <source>impossible. </source>
        <translation>不可行。</translation>
    </message>
    <message>
        <source>impossible</source>
        <translation>不可行</translation>
    </message>
    <message>
        <source>Tensor ranks</source>
        <translation>张量 rank</translation>
    </message>
    <message>
        <source>Ranks that share each layer: heads and inner columns.</source>
        <translation>共同分担每一层的 rank：注意力头和内部列。</translation>
    </message>
    <message>
        <source>Sequence parallel</source>
        <translation>序列并行</translation>
    </message>
    <message>
        <source>With tensor ranks: each has the tokens of its own outside of attention and MLP (on by default).</source>
        <translation>用于张量 rank：在注意力和 MLP 之外，每个 rank 只有自己的词元（默认开启）。</translation>
    </message>
    <message>
        <source>Whose speed the prediction assumes: see `list hardware`; or the file of a cluster, as `hardware` writes it.</source>
        <translation>预测所假设的速度：见 `list hardware`；或由 `hardware` 写出的集群文件。</translation>
    </message>
    <message>
        <source>&amp;Copy and edit…</source>
        <translation>复制并编辑(&amp;C)…</translation>
    </message>
    <message>
        <source>A cluster of your own: nodes, links, collectives, memory, price</source>
        <translation>您自己的集群：节点、链路、集合通信、内存、价格</translation>
    </message>
    <message>
        <source>What starts this plan there, and what it leaves out (stagelens-cli export --format %1)</source>
        <translation>在那里启动此方案所需的内容，以及未包含的部分（stagelens-cli export --format %1）</translation>
    </message>
    <message>
        <source>
Tensor ranks exchange for %1 of device %2&apos;s passes (%3).</source>
        <translation>
张量 rank 的交换占设备 %2 计算块中的 %1（%3）。</translation>
    </message>
    <message>
        <source>
The what-ifs are being computed.</source>
        <translation>
正在计算假设情形。</translation>
    </message>
    <message>
        <source>slow parts</source>
        <translation>慢部件</translation>
    </message>
    <message>
        <source>Cluster of your own</source>
        <translation>您自己的集群</translation>
    </message>
    <message>
        <source>--hardware FILE: a copy of a preset that is edited with Copy and edit in the hardware chip</source>
        <translation>--hardware FILE：预设的副本，可在硬件条目中用“复制并编辑”修改</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假设情形</translation>
    </message>
    <message>
        <source>Tensor ranks sum the gradients of what all of them hold</source>
        <translation>各张量 rank 对共同持有部分的梯度求和</translation>
    </message>
    <message>
        <source>Activations go to the host</source>
        <translation>激活拷贝到主机</translation>
    </message>
    <message>
        <source>Activations come back from the host</source>
        <translation>激活从主机拷贝回来</translation>
    </message>
    <message>
        <source>tensor ranks</source>
        <translation>张量 rank</translation>
    </message>
    <message>
        <source>exchange of tensor ranks</source>
        <translation>张量 rank 的交换</translation>
    </message>
    <message>
        <source> × %1 tensor</source>
        <translation> × %1 张量</translation>
    </message>
    <message>
        <source>%1 ranks = %2 devices</source>
        <translation>%1 个 rank = %2 个设备</translation>
    </message>
    <message>
        <source>The what-ifs were not computed. </source>
        <translation>未能计算假设情形。</translation>
    </message>
    <message>
        <source>Export &amp;launch</source>
        <translation>导出启动配置(&amp;L)</translation>
    </message>
    <message>
        <source>%1 among %2 ranks on %3: %4 sizes</source>
        <translation>%3上 %2 个 rank 的 %1：%4 种大小</translation>
    </message>
    <message>
        <source>1 node</source>
        <translation>1 个节点</translation>
    </message>
    <message>
        <source>%1 nodes</source>
        <translation>%1 个节点</translation>
    </message>
    <message>
        <source>None: collectives are estimated from the links</source>
        <translation>无：集合通信由链路估算</translation>
    </message>
    <message>
        <source>The unequal lengths of the sequences cost</source>
        <translation>序列长度不等占去</translation>
    </message>
    <message>
        <source>%1 takes %2 as long and costs</source>
        <translation>%1 耗时为 %2，占去</translation>
    </message>
    <message>
        <source>%1 is %2 slow and costs</source>
        <translation>%1 慢 %2，占去</translation>
    </message>
    <message>
        <source>hour</source>
        <translation>小时</translation>
    </message>
    <message>
        <source>%1 hours</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>With a failure every %1, a checkpoint every %2 (%3) is best: goodput %4 %.</source>
        <translation>若每 %1 发生一次故障，每 %2（%3）保存一次检查点最佳：有效吞吐 %4 %。</translation>
    </message>
    <message>
        <source> steps</source>
        <translation> 步</translation>
    </message>
    <message>
        <source>With %1 % jitter a step takes %2 on average, 5 to 95 %: %3 – %4 (%5 draws).</source>
        <translation>抖动 %1 % 时一步平均耗时 %2，5 至 95 %：%3 – %4（%5 次抽样）。</translation>
    </message>
    <message>
        <source> Device %1 is critical most often, in %2 of the draws.</source>
        <translation>设备 %1 最常处于关键路径，占抽样的 %2。</translation>
    </message>
    <message>
        <source>%1 %2 of the step.</source>
        <translation>%1一步的 %2。</translation>
    </message>
    <message>
        <source> In first position it would cost %1.</source>
        <translation>若在首位则为 %1。</translation>
    </message>
    <message>
        <source>Without its what-ifs the step would take %1.</source>
        <translation>若无假设情形，一步需 %1。</translation>
    </message>
    <message>
        <source>The picture shows replica %1, which ends last.</source>
        <translation>图中显示最后结束的副本 %1。</translation>
    </message>
    <message>
        <source>5 to 95 %: %1 – %2</source>
        <translation>5 至 95 %：%1 – %2</translation>
    </message>
    <message>
        <source>critical %1</source>
        <translation>关键 %1</translation>
    </message>
    <message>
        <source>Slow devices</source>
        <translation>慢设备</translation>
    </message>
    <message>
        <source>What takes longer, and how many times: DEVICE=F, rank=R:F, node=N:F, replica=K:F.</source>
        <translation>什么更慢，以及慢几倍：DEVICE=F、rank=R:F、node=N:F、replica=K:F。</translation>
    </message>
    <message>
        <source>Slow links</source>
        <translation>慢链路</translation>
    </message>
    <message>
        <source>Messages between devices A and B take F times as long, such as 2-3=4.</source>
        <translation>设备 A 与 B 之间的消息耗时为 F 倍，例如 2-3=4。</translation>
    </message>
    <message>
        <source>Jitter</source>
        <translation>抖动</translation>
    </message>
    <message>
        <source>Random variation of every pass: its standard deviation divided by its mean, such as 0.05.</source>
        <translation>每个计算块的随机波动：标准差除以均值，例如 0.05。</translation>
    </message>
    <message>
        <source>Draws</source>
        <translation>抽样次数</translation>
    </message>
    <message>
        <source>Steps that are drawn with the jitter, from training.seed (default: 200).</source>
        <translation>按抖动抽样的步数，种子为 training.seed（默认：200）。</translation>
    </message>
    <message>
        <source>200</source>
        <translation>200</translation>
    </message>
    <message>
        <source>Sequence lengths</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>CSV with the header microbatch,length or replica,microbatch,length, a row for each sequence.</source>
        <translation>CSV，表头为 microbatch,length 或 replica,microbatch,length，每个序列一行。</translation>
    </message>
    <message>
        <source>Hours between failures</source>
        <translation>故障间隔小时数</translation>
    </message>
    <message>
        <source>Mean time between failures of the whole job.</source>
        <translation>整个作业的平均故障间隔时间。</translation>
    </message>
    <message>
        <source>Seconds of a checkpoint</source>
        <translation>检查点的秒数</translation>
    </message>
    <message>
        <source>How long writing a checkpoint keeps the job waiting.</source>
        <translation>写检查点使作业等待多久。</translation>
    </message>
    <message>
        <source>Seconds of a restart</source>
        <translation>重启的秒数</translation>
    </message>
    <message>
        <source>From a failure until the job continues from its checkpoint (default: 0).</source>
        <translation>从故障到作业从检查点继续的时间（默认：0）。</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>动量</translation>
    </message>
    <message>
        <source>Decay of the sum of gradients (sgd, muon).</source>
        <translation>梯度累加的衰减（sgd、muon）。</translation>
    </message>
    <message>
        <source>Rate of tables</source>
        <translation>表的学习率</translation>
    </message>
    <message>
        <source>Learning rate of the tables and vectors, which muon leaves to AdamW.</source>
        <translation>表和向量的学习率，muon 将它们交给 AdamW。</translation>
    </message>
    <message>
        <source>Scale by parameter</source>
        <translation>按参数缩放</translation>
    </message>
    <message>
        <source>Multiply the rate of adafactor by the root mean square of each parameter, and let it fall as 1 / sqrt(t).</source>
        <translation>将 adafactor 的学习率乘以各参数的均方根，并按 1 / sqrt(t) 下降。</translation>
    </message>
    <message>
        <source>Decay of the mean and of the square (adamw), or share and decay of the momentum (lion), such as 0.9,0.95.</source>
        <translation>均值与平方的衰减（adamw），或动量的占比与衰减（lion），例如 0.9,0.95。</translation>
    </message>
    <message>
        <source>Decay of weights, apart from the gradient; sgd adds it to the gradient.</source>
        <translation>独立于梯度的权重衰减；sgd 将其加到梯度上。</translation>
    </message>
    <message>
        <source>Adafactor</source>
        <translation>Adafactor</translation>
    </message>
    <message>
        <source>second moments from the means of rows and columns: almost no state</source>
        <translation>由行与列均值得到二阶矩：几乎没有状态</translation>
    </message>
    <message>
        <source>Adam, 8 bits</source>
        <translation>8 位 Adam</translation>
    </message>
    <message>
        <source>AdamW with moments of 8 bits: two bytes a parameter</source>
        <translation>矩为 8 位的 AdamW：每个参数两个字节</translation>
    </message>
    <message>
        <source>Lion</source>
        <translation>Lion</translation>
    </message>
    <message>
        <source>the sign of a mean of gradients: one number a parameter</source>
        <translation>梯度均值的符号：每个参数一个数</translation>
    </message>
    <message>
        <source>Muon</source>
        <translation>Muon</translation>
    </message>
    <message>
        <source>orthogonal updates of matrices: one number a parameter; AdamW for tables</source>
        <translation>矩阵的正交更新：每个参数一个数；表用 AdamW</translation>
    </message>
    <message>
        <source>SGD with momentum</source>
        <translation>带动量的 SGD</translation>
    </message>
    <message>
        <source>a decaying sum of the gradients: one number a parameter</source>
        <translation>梯度的衰减累加：每个参数一个数</translation>
    </message>
    <message>
        <source>Adafactor, adam8bit, adamw, lion, muon, sgd.</source>
        <translation>adafactor、adam8bit、adamw、lion、muon、sgd。</translation>
    </message>
    <message>
        <source>the 1T model of Megatron-LM (arXiv 2104.04473, table 1) in shape</source>
        <translation>Megatron-LM 的 1T 模型的形状（arXiv 2104.04473，表 1）</translation>
    </message>
    <message>
        <source>GPT-3 175B in shape (arXiv 2005.14165, table 2.1)</source>
        <translation>GPT-3 175B 的形状（arXiv 2005.14165，表 2.1）</translation>
    </message>
    <message>
        <source>MT-NLG 530B in shape (arXiv 2201.11990)</source>
        <translation>MT-NLG 530B 的形状（arXiv 2201.11990）</translation>
    </message>
    <message>
        <source>Many ranks</source>
        <translation>多个 rank</translation>
    </message>
    <message>
        <source>Every layer waits for tensor communication: %1 of the step.</source>
        <translation>每一层都在等待张量通信：占一步的 %1。</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Export for %1</source>
        <translation>导出到 %1</translation>
    </message>
    <message>
        <source>Edit the cluster</source>
        <translation>编辑集群</translation>
    </message>
    <message>
        <source>Use this cluster</source>
        <translation>使用此集群</translation>
    </message>
    <message>
        <source>Save as a file…</source>
        <translation>另存为文件…</translation>
    </message>
    <message>
        <source>For stagelens-cli --hardware FILE and calibrate; the experiment contains the cluster without it</source>
        <translation>用于 stagelens-cli --hardware FILE 和 calibrate；没有它实验也包含该集群</translation>
    </message>
    <message>
        <source>Clusters (*.json);;All files (*)</source>
        <translation>集群 (*.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Open a cluster</source>
        <translation>打开集群</translation>
    </message>
    <message>
        <source>Save the cluster</source>
        <translation>保存集群</translation>
    </message>
    <message>
        <source>No preset&apos;s name</source>
        <translation>不能是预设的名称</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>One line</source>
        <translation>一行</translation>
    </message>
    <message>
        <source>Currency of the price</source>
        <translation>价格的货币</translation>
    </message>
    <message>
        <source>Such as USD</source>
        <translation>例如 USD</translation>
    </message>
    <message>
        <source>Fill them with stagelens-cli calibrate --nccl-tests LOG</source>
        <translation>用 stagelens-cli calibrate --nccl-tests LOG 填写</translation>
    </message>
    <message>
        <source>Measured collectives</source>
        <translation>实测的集合通信</translation>
    </message>
    <message>
        <source>Saving…</source>
        <translation>正在保存…</translation>
    </message>
    <message>
        <source>Saved as %1.</source>
        <translation>已保存为 %1。</translation>
    </message>
    <message>
        <source>The cluster was not saved. </source>
        <translation>集群未保存。</translation>
    </message>
    <message>
        <source>The file was not opened. </source>
        <translation>文件未打开。</translation>
    </message>
    <message>
        <source>Exported</source>
        <translation>已导出</translation>
    </message>
    <message>
        <source>Written to %1.</source>
        <translation>已写入 %1。</translation>
    </message>
    <message>
        <source> The schedule is the file beside it that ends in .csv.</source>
        <translation>调度是旁边以 .csv 结尾的文件。</translation>
    </message>
    <message>
        <source>All of the plan is carried over.</source>
        <translation>方案的全部内容均已带过去。</translation>
    </message>
    <message>
        <source>Not carried over:</source>
        <translation>未带过去的内容：</translation>
    </message>
    <message>
        <source>Names of arguments as in %1.</source>
        <translation>参数名称以 %1 为准。</translation>
    </message>
    <message>
        <source>Separated by spaces: %1</source>
        <translation>以空格分隔：%1</translation>
    </message>
    <message>
        <source>Slower by at most</source>
        <translation>最多慢</translation>
    </message>
    <message>
        <source>“%1” is not one of: %2.</source>
        <translation>“%1”不是下列之一：%2。</translation>
    </message>
    <message>
        <source>Write the values to go through, such as %1.</source>
        <translation>请写出要遍历的值，例如 %1。</translation>
    </message>
    <message>
        <source>Compare the series</source>
        <translation>比较该系列</translation>
    </message>
    <message>
        <source>
Replicas exchange for %1 of device %2&apos;s passes (%3).</source>
        <translation>
副本间的交换占设备 %2 计算块中的 %1（%3）。</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>不分片</translation>
    </message>
    <message>
        <source>Every replica holds all and sums all gradients</source>
        <translation>每个副本保存全部内容，并对全部梯度求和</translation>
    </message>
    <message>
        <source>ZeRO-1: optimizer state</source>
        <translation>ZeRO-1：优化器状态</translation>
    </message>
    <message>
        <source>As fast, and smaller: each replica updates its share</source>
        <translation>同样快，内存更少：每个副本更新自己的一份</translation>
    </message>
    <message>
        <source>ZeRO-2: gradients too</source>
        <translation>ZeRO-2：另加梯度</translation>
    </message>
    <message>
        <source>From their reduction on; less at the peak only if every backward reduces</source>
        <translation>从归约之后起；只有每次反向都归约时峰值才降低</translation>
    </message>
    <message>
        <source>ZeRO-3: parameters too</source>
        <translation>ZeRO-3：另加参数</translation>
    </message>
    <message>
        <source>Between steps; less at the peak only if every pass gathers</source>
        <translation>在两步之间；只有每个计算块都收集时峰值才降低</translation>
    </message>
    <message>
        <source>Gradients are reduced</source>
        <translation>梯度归约</translation>
    </message>
    <message>
        <source>With --zero 2: deferred reduces gradients once, at the end of the step; eager after every backward.</source>
        <translation>配合 --zero 2：deferred 在一步结束时归约一次梯度；eager 在每次反向之后归约。</translation>
    </message>
    <message>
        <source>Once</source>
        <translation>一次</translation>
    </message>
    <message>
        <source>At the end of the step; until then every replica holds all gradients</source>
        <translation>在一步结束时；此前每个副本都保存全部梯度</translation>
    </message>
    <message>
        <source>Every backward</source>
        <translation>每次反向</translation>
    </message>
    <message>
        <source>Less memory, m times the traffic; only predicted</source>
        <translation>内存更少，通信量为 m 倍；仅可预测</translation>
    </message>
    <message>
        <source>Parameters are gathered</source>
        <translation>参数收集</translation>
    </message>
    <message>
        <source>With --zero 3: resident gathers parameters once a step; reshard for every pass; keep-until-backward for every microbatch.</source>
        <translation>配合 --zero 3：resident 每步收集一次参数；reshard 每个计算块收集一次；keep-until-backward 每个微批次收集一次。</translation>
    </message>
    <message>
        <source>At the begin of the step; they stay whole until its end</source>
        <translation>在一步开始时；直到结束都保持完整</translation>
    </message>
    <message>
        <source>Every pass</source>
        <translation>每个计算块</translation>
    </message>
    <message>
        <source>Least memory; a microbatch gathers twice and reduces once; only predicted</source>
        <translation>内存最少；每个微批次收集两次、归约一次；仅可预测</translation>
    </message>
    <message>
        <source>Every microbatch</source>
        <translation>每个微批次</translation>
    </message>
    <message>
        <source>Every layer waits for the exchange of the replicas: %1 of the step.</source>
        <translation>每一层都在等待副本间的交换：占一步的 %1。</translation>
    </message>
    <message>
        <source>At its peak a rank holds as much as with ZeRO-1; ZeRO-%1 saves memory beside the peak.</source>
        <translation>峰值时一个 rank 的占用与 ZeRO-1 相同；ZeRO-%1 只在峰值之外节省内存。</translation>
    </message>
    <message>
        <source>&amp;Levers…</source>
        <translation>杠杆(&amp;L)…</translation>
    </message>
    <message>
        <source>What recomputation, schedules and other changes save and cost</source>
        <translation>重计算、调度和其他更改各节省什么、代价是什么</translation>
    </message>
    <message>
        <source>levers: what each change of the plan saves and costs</source>
        <translation>杠杆：方案的每项更改节省什么、代价是什么</translation>
    </message>
    <message>
        <source>Only the Pareto front</source>
        <translation>仅帕累托前沿</translation>
    </message>
    <message>
        <source>Levers</source>
        <translation>杠杆</translation>
    </message>
    <message>
        <source>Lever</source>
        <translation>杠杆</translation>
    </message>
    <message>
        <source>Fullest device</source>
        <translation>占用最多的设备</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Rows that no other beats in memory, time and numbers together</source>
        <translation>在内存、时间和数值上都没有其他行同时更优的行</translation>
    </message>
    <message>
        <source>Predictions</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Apply to the plan</source>
        <translation>应用到方案</translation>
    </message>
    <message>
        <source>Cancelled. A change of the plan starts it again.</source>
        <translation>已取消。更改方案后会重新开始。</translation>
    </message>
    <message>
        <source>There are no levers. </source>
        <translation>没有可用的杠杆。</translation>
    </message>
    <message>
        <source>Combinations</source>
        <translation>组合</translation>
    </message>
    <message>
        <source>Not possible</source>
        <translation>不可行</translation>
    </message>
    <message>
        <source>nothing is better</source>
        <translation>没有更优的</translation>
    </message>
    <message>
        <source>Does not fit into %1</source>
        <translation>超出 %1</translation>
    </message>
    <message>
        <source>%1, %2 % active</source>
        <translation>%1，激活 %2 %</translation>
    </message>
    <message>
        <source>Forward computed again: %1 (%2 %)</source>
        <translation>重新计算的前向：%1（%2 %）</translation>
    </message>
    <message>
        <source>again</source>
        <translation>重算</translation>
    </message>
    <message>
        <source>forward computed again</source>
        <translation>重新计算的前向</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>Experts of each layer of a llama, of which a router chooses some for each token (0: one MLP for all).</source>
        <translation>llama 每层的专家数，路由器为每个词元选择其中几个（0：所有词元共用一个 MLP）。</translation>
    </message>
    <message>
        <source>Experts of a token</source>
        <translation>每个词元的专家数</translation>
    </message>
    <message>
        <source>Experts that compute each token; 1 is Switch&apos;s rule.</source>
        <translation>计算每个词元的专家数；1 即 Switch 的规则。</translation>
    </message>
    <message>
        <source>Expert width</source>
        <translation>专家宽度</translation>
    </message>
    <message>
        <source>Inner width of an expert (default: that of the MLP).</source>
        <translation>专家的内部宽度（默认：与 MLP 相同）。</translation>
    </message>
    <message>
        <source>inner width</source>
        <translation>内部宽度</translation>
    </message>
    <message>
        <source>Balance loss</source>
        <translation>均衡损失</translation>
    </message>
    <message>
        <source>Coefficient of the loss that keeps the tokens of the experts of a microbatch equal (0: off).</source>
        <translation>使一个微批次内各专家的词元数保持均衡的损失的系数（0：关闭）。</translation>
    </message>
    <message>
        <source>Router z-loss</source>
        <translation>路由器 z 损失</translation>
    </message>
    <message>
        <source>Coefficient of the loss that keeps the router&apos;s logits small (0: off).</source>
        <translation>使路由器的 logits 保持较小的损失的系数（0：关闭）。</translation>
    </message>
    <message>
        <source>small mixture of 8 experts for a laptop, 2 of which compute a token</source>
        <translation>适合笔记本电脑的小型混合专家模型：8 个专家，每个词元由 2 个计算</translation>
    </message>
    <message>
        <source>Mixtral 8x7B, 8 experts of which 2 compute a token</source>
        <translation>Mixtral 8x7B：8 个专家，每个词元由 2 个计算</translation>
    </message>
    <message>
        <source>Qwen3 30B-A3B, 128 experts of which 8 compute a token, without its norms of queries and keys</source>
        <translation>Qwen3 30B-A3B：128 个专家，每个词元由 8 个计算；不含查询和键的归一化</translation>
    </message>
    <message>
        <source>Sequence slices</source>
        <translation>序列切片</translation>
    </message>
    <message>
        <source>Slices of each sequence (seq1f1b families; 2).</source>
        <translation>每个序列的切片数（seq1f1b 调度族；2）。</translation>
    </message>
    <message>
        <source>Slices of equal</source>
        <translation>切片等分依据</translation>
    </message>
    <message>
        <source>Where sequences are cut: slices of equal work, or of equal length.</source>
        <translation>序列的切分位置：各切片计算量相等，或长度相等。</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>计算量</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>Later slices are shorter, for their attention reads more keys</source>
        <translation>靠后的切片更短，因为其注意力要读取更多的键</translation>
    </message>
    <message>
        <source>Later slices take longer</source>
        <translation>靠后的切片耗时更长</translation>
    </message>
    <message>
        <source>Which activations are computed again in the backward instead of being kept: none, selective or full; or how many of the first layers of each stage are computed again: a number, or one for each stage, such as 3/1/0/0.</source>
        <translation>哪些激活不保留而在反向中重新计算：none、selective 或 full；或每个阶段的前几层重新计算：一个数，或每个阶段一个，例如 3/1/0/0。</translation>
    </message>
    <message>
        <source>Recomputed layers</source>
        <translation>重计算的层</translation>
    </message>
    <message>
        <source>How many of the first layers of each stage are computed again in the backward: a number for every stage, or one for each.</source>
        <translation>每个阶段的前几层在反向中重新计算：所有阶段共用一个数，或每个阶段一个。</translation>
    </message>
    <message>
        <source>Recomputed operators</source>
        <translation>重计算的算子</translation>
    </message>
    <message>
        <source>Operators of a layer whose outputs are computed again in the backward: norms, activation, attention, with commas.</source>
        <translation>其输出在反向中重新计算的层内算子：norms、activation、attention，以逗号分隔。</translation>
    </message>
    <message>
        <source>Norms</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Activation function</source>
        <translation>激活函数</translation>
    </message>
    <message>
        <source>Norms and activation</source>
        <translation>归一化和激活函数</translation>
    </message>
    <message>
        <source>About 40 % of the activations for 1 to 2 % of the time</source>
        <translation>以 1 % 到 2 % 的时间节省约 40 % 的激活</translation>
    </message>
    <message>
        <source>Norms and attention</source>
        <translation>归一化和注意力</translation>
    </message>
    <message>
        <source>Activation and attention</source>
        <translation>激活函数和注意力</translation>
    </message>
    <message>
        <source>All three</source>
        <translation>全部三种</translation>
    </message>
    <message>
        <source>several chunks a device, half the warm-up and a split backward in place; small groups save memory</source>
        <translation>每个设备有多个分块，预热减半，反向就地拆分；小的组节省内存</translation>
    </message>
    <message>
        <source>recomputation of 1 layer</source>
        <translation>重计算 1 层</translation>
    </message>
    <message>
        <source>recomputation of %1 layers</source>
        <translation>重计算 %1 层</translation>
    </message>
    <message>
        <source>All layers</source>
        <translation>所有层</translation>
    </message>
    <message>
        <source>1 of each stage</source>
        <translation>每个阶段 1 层</translation>
    </message>
    <message>
        <source>%1 of each stage</source>
        <translation>每个阶段 %1 层</translation>
    </message>
    <message>
        <source>%1, with %2 microbatches</source>
        <translation>%1，%2 个微批次</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Same bits</source>
        <translation>逐位相同</translation>
    </message>
    <message>
        <source>Predicted: the plan takes %1 and needs %2 on its fullest device</source>
        <translation>预测：方案用时 %1，占用最多的设备需要 %2</translation>
    </message>
    <message>
        <source>, which has %1.</source>
        <translation>，其容量为 %1。</translation>
    </message>
    <message>
        <source>Slices: a pass has a part of each sequence</source>
        <translation>切片：一个计算块处理每个序列的一部分</translation>
    </message>
    <message>
        <source>
The sum of the gradients takes %1 of the iteration; the rest of it is hidden.</source>
        <translation>
梯度求和占迭代的 %1；其余被掩盖。</translation>
    </message>
    <message>
        <source>
Context ranks exchange for %1 of device %2&apos;s passes (%3).</source>
        <translation>
上下文 rank 的交换占设备 %2 计算块中的 %1（%3）。</translation>
    </message>
    <message>
        <source>
Expert ranks exchange for %1 of device %2&apos;s passes (%3).</source>
        <translation>
专家 rank 的交换占设备 %2 计算块中的 %1（%3）。</translation>
    </message>
    <message>
        <source>Context ranks</source>
        <translation>上下文 rank</translation>
    </message>
    <message>
        <source>Ranks that share each sequence: each has the tokens of two chunks of it.</source>
        <translation>共同分担每个序列的 rank：各有其中两块的词元。</translation>
    </message>
    <message>
        <source>Keys of other ranks</source>
        <translation>其他 rank 的键</translation>
    </message>
    <message>
        <source>All-gather</source>
        <translation>All-gather</translation>
    </message>
    <message>
        <source>Each rank gathers the keys and values of the whole sequence</source>
        <translation>每个 rank 收集整个序列的键和值</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>环</translation>
    </message>
    <message>
        <source>Keys and values travel around the ranks while attention works on the last ones</source>
        <translation>键和值在各 rank 间传递，同时注意力计算上一批</translation>
    </message>
    <message>
        <source>Ulysses</source>
        <translation>Ulysses</translation>
    </message>
    <message>
        <source>Ranks exchange tokens for heads before and after attention</source>
        <translation>在注意力前后，各 rank 用词元交换注意力头</translation>
    </message>
    <message>
        <source>Every layer waits for context communication: %1 of the step.</source>
        <translation>每一层都在等待上下文通信：占一步的 %1。</translation>
    </message>
    <message>
        <source> × %1 context</source>
        <translation> × %1 上下文</translation>
    </message>
    <message>
        <source>The schedule cannot be repaired here. </source>
        <translation>此处无法修复该调度。</translation>
    </message>
    <message>
        <source>Repair the schedule</source>
        <translation>修复调度</translation>
    </message>
    <message>
        <source>Train a copy…</source>
        <translation>训练副本…</translation>
    </message>
    <message>
        <source>Slides…</source>
        <translation>幻灯片…</translation>
    </message>
    <message>
        <source>Every step as a page of a PDF: its picture, and its text in large type</source>
        <translation>每一步为 PDF 的一页：图和大号文字</translation>
    </message>
    <message>
        <source>Export slides</source>
        <translation>导出幻灯片</translation>
    </message>
    <message>
        <source>&amp;Mark the least memory, slower by at most</source>
        <translation>标记内存最少的(&amp;M)，最多慢</translation>
    </message>
    <message>
        <source>Which of the plans that do the same work is marked in both plots; unticked, the fastest is</source>
        <translation>在两张图中标记哪个工作量相同的方案；不勾选时标记最快的</translation>
    </message>
    <message>
        <source>Compare the five vocabulary methods</source>
        <translation>比较五种词表方法</translation>
    </message>
    <message>
        <source>This plan with each of the methods, side by side</source>
        <translation>并排显示此方案采用每种方法的结果</translation>
    </message>
    <message>
        <source>Stagelens connects to the other machine.</source>
        <translation>Stagelens 正在连接另一台机器。</translation>
    </message>
    <message>
        <source>The other machine cannot train with %1.</source>
        <translation>另一台机器无法用 %1 训练。</translation>
    </message>
    <message>
        <source>On %1, through ssh</source>
        <translation>在 %1 上，通过 ssh</translation>
    </message>
    <message>
        <source>S&amp;hapes that fit…</source>
        <translation>适合的形状(&amp;H)…</translation>
    </message>
    <message>
        <source>Which division of the GPUs into pipeline, tensor, context and data ranks is best</source>
        <translation>如何将 GPU 划分为流水线、张量、上下文和数据 rank 最好</translation>
    </message>
    <message>
        <source>T&amp;opology</source>
        <translation>拓扑(&amp;O)</translation>
    </message>
    <message>
        <source>Which ranks share a node, and which links their groups use</source>
        <translation>哪些 rank 位于同一节点，它们的组使用哪些链路</translation>
    </message>
    <message>
        <source>topology: the nodes with their ranks</source>
        <translation>拓扑：节点及其 rank</translation>
    </message>
    <message>
        <source>shapes that fit: how to divide the GPUs</source>
        <translation>适合的形状：如何划分 GPU</translation>
    </message>
    <message>
        <source>Pipeline x tensor x data, or pipeline x tensor x context x data, separated by spaces; the sequences of a step stay as they are</source>
        <translation>流水线 x 张量 x 数据，或流水线 x 张量 x 上下文 x 数据，以空格分隔；每步的序列数不变</translation>
    </message>
    <message>
        <source>Only what fits</source>
        <translation>仅显示放得下的</translation>
    </message>
    <message>
        <source>Shapes that fit</source>
        <translation>适合的形状</translation>
    </message>
    <message>
        <source>Shape: </source>
        <translation>形状：</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU 数</translation>
    </message>
    <message>
        <source>Sequences of a step</source>
        <translation>每步的序列数</translation>
    </message>
    <message>
        <source>Tokens to train on</source>
        <translation>训练词元数</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Use this plan</source>
        <translation>使用此方案</translation>
    </message>
    <message>
        <source>Two to six rows on one time axis; Ctrl and Shift select several</source>
        <translation>在同一时间轴上比较两到六行；Ctrl 和 Shift 可多选</translation>
    </message>
    <message>
        <source>Shapes need a model and hardware: choose them in the strip above the picture.</source>
        <translation>形状需要模型和硬件：请在图上方的方案条中选择。</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>Cancelled. Search starts it again.</source>
        <translation>已取消。点击“搜索”重新开始。</translation>
    </message>
    <message>
        <source>, at most %1 a rank</source>
        <translation>，每个 rank 最多 %1</translation>
    </message>
    <message>
        <source>%1 plans fit.</source>
        <translation>%1 个方案放得下。</translation>
    </message>
    <message>
        <source>nothing fits. The rows say what each shape needs.</source>
        <translation>没有放得下的。各行说明每种形状需要多少。</translation>
    </message>
    <message>
        <source>any</source>
        <translation>任意</translation>
    </message>
    <message>
        <source>Searching… The fastest plan so far takes %1.</source>
        <translation>正在搜索… 目前最快的方案用时 %1。</translation>
    </message>
    <message>
        <source>Exchanges</source>
        <translation>交换</translation>
    </message>
    <message>
        <source>Headroom</source>
        <translation>余量</translation>
    </message>
    <message>
        <source>Days</source>
        <translation>天数</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>费用</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Devices of the pipeline: each has some of the layers</source>
        <translation>流水线的设备：各有一部分层</translation>
    </message>
    <message>
        <source>Ranks that share each layer</source>
        <translation>共同分担每一层的 rank</translation>
    </message>
    <message>
        <source>Ranks that share each sequence</source>
        <translation>共同分担每个序列的 rank</translation>
    </message>
    <message>
        <source>Copies of the model, each with its own sequences</source>
        <translation>模型的副本，各处理自己的序列</translation>
    </message>
    <message>
        <source>Microbatches of a replica × sequences of a microbatch</source>
        <translation>每个副本的微批次数 × 每个微批次的序列数</translation>
    </message>
    <message>
        <source>The part of the devices&apos; time without a pass</source>
        <translation>设备没有计算块的时间所占比例</translation>
    </message>
    <message>
        <source>The part of the iteration in which a rank waits for tensor, context or data exchanges</source>
        <translation>迭代中 rank 等待张量、上下文或数据交换的时间所占比例</translation>
    </message>
    <message>
        <source>Peak of the fullest rank</source>
        <translation>占用最多的 rank 的峰值</translation>
    </message>
    <message>
        <source>A dot: no other plan that fits is both faster and smaller (Pareto front)</source>
        <translation>圆点：没有其他放得下的方案更快且更省（帕累托前沿）</translation>
    </message>
    <message>
        <source>%1 GPU-hours</source>
        <translation>%1 GPU 小时</translation>
    </message>
    <message>
        <source>Topology</source>
        <translation>拓扑</translation>
    </message>
    <message>
        <source>One rank, or costs without hardware: there is no cluster to show.</source>
        <translation>只有一个 rank，或成本不含硬件：没有可显示的集群。</translation>
    </message>
    <message>
        <source>Point at a rank, or press an arrow key, to see its groups.</source>
        <translation>指向一个 rank 或按方向键，以查看它的组。</translation>
    </message>
    <message>
        <source>%1 ranks on %2 nodes of %3</source>
        <translation>%1 个 rank，%2 个节点，每个 %3 个</translation>
    </message>
    <message>
        <source>and %1 more nodes</source>
        <translation>另有 %1 个节点</translation>
    </message>
    <message>
        <source>tensor ranks for %1</source>
        <translation>张量 rank（%1）</translation>
    </message>
    <message>
        <source>context ranks for %1</source>
        <translation>上下文 rank（%1）</translation>
    </message>
    <message>
        <source>replicas for %1</source>
        <translation>副本（%1）</translation>
    </message>
    <message>
        <source> That pass spends part of its time in exchanges: with %1.</source>
        <translation> 该计算块的部分时间用于交换：与%1。</translation>
    </message>
    <message>
        <source>, with </source>
        <translation>，与</translation>
    </message>
    <message>
        <source> Its replicas sum their gradients for %1 (data).</source>
        <translation> 其副本用 %1 求梯度之和（数据）。</translation>
    </message>
    <message>
        <source> Its replicas gather the updated parameters for %1 (data).</source>
        <translation> 其副本用 %1 收集更新后的参数（数据）。</translation>
    </message>
    <message>
        <source> Its tensor ranks sum the gradients of what all of them hold for %1 (tensor).</source>
        <translation> 其张量 rank 用 %1 对共同持有部分的梯度求和（张量）。</translation>
    </message>
    <message>
        <source> along the pipeline</source>
        <translation>（沿流水线）</translation>
    </message>
    <message>
        <source>connecting to %1</source>
        <translation>正在连接 %1</translation>
    </message>
    <message>
        <source>“%1” is no shape; write pipeline x tensor x data such as 8x4x2.</source>
        <translation>“%1”不是形状；请写成流水线 x 张量 x 数据，例如 8x4x2。</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>如果那里没有 Stagelens，则复制过去</translation>
    </message>
    <message>
        <source>Copy Stagelens there if it is missing</source>
        <translation>如果那里没有 Stagelens,则复制过去</translation>
    </message>
    <message>
        <source>Predict for its processor</source>
        <translation>按其处理器预测</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Another machine</source>
        <translation>另一台机器</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>user@host</source>
        <translation>user@host</translation>
    </message>
    <message>
        <source>Reached through ssh, with your keys and configuration. It must connect without a question.</source>
        <translation>通过 ssh 连接，使用您的密钥和配置。连接时不得有任何提问。</translation>
    </message>
    <message>
        <source>Connecting...</source>
        <translation>正在连接...</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Train on another machine</source>
        <translation>在另一台机器上训练</translation>
    </message>
    <message>
        <source> · each lane stands for %1 equal ranks</source>
        <translation> · 每条泳道代表 %1 个相同的 rank</translation>
    </message>
    <message>
        <source>× %1 ranks</source>
        <translation>× %1 个 rank</translation>
    </message>
    <message>
        <source>How context ranks reach the keys and values of others.</source>
        <translation>上下文 rank 如何取得其他 rank 的键和值。</translation>
    </message>
    <message>
        <source>Expert ranks</source>
        <translation>专家 rank</translation>
    </message>
    <message>
        <source>Expert headroom</source>
        <translation>专家余量</translation>
    </message>
    <message>
        <source>With expert ranks: rows of tokens that a rank has memory for, as a multiple of those of balanced experts.</source>
        <translation>有专家 rank 时：一个 rank 的内存可容纳的词元行数，是专家均衡时行数的倍数。</translation>
    </message>
    <message>
        <source>Skew of experts</source>
        <translation>专家偏斜</translation>
    </message>
    <message>
        <source>With expert ranks: the i-th most popular expert of a layer gets a share of i^-Z of the tokens (0: equal shares).</source>
        <translation>有专家 rank 时：每层第 i 受欢迎的专家得到与 i^-Z 成比例的词元（0：均分）。</translation>
    </message>
    <message>
        <source>%1 with %2 replicas, %3</source>
        <translation>%1，%2 个副本，%3</translation>
    </message>
    <message>
        <source>%1 tensor</source>
        <translation>%1 张量</translation>
    </message>
    <message>
        <source>%1 context</source>
        <translation>%1 上下文</translation>
    </message>
    <message>
        <source>%1 replicas</source>
        <translation>%1 副本</translation>
    </message>
    <message>
        <source>1 device</source>
        <translation>1 个设备</translation>
    </message>
    <message>
        <source>tensor %1</source>
        <translation>张量 %1</translation>
    </message>
    <message>
        <source>context %1</source>
        <translation>上下文 %1</translation>
    </message>
    <message>
        <source>data %1</source>
        <translation>数据 %1</translation>
    </message>
    <message>
        <source>ZeRO-%1 in every pass</source>
        <translation>每个计算块的 ZeRO-%1</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>needs %1 of %2</source>
        <translation>需要 %1，仅有 %2</translation>
    </message>
    <message>
        <source>needs at least %1 of %2</source>
        <translation>至少需要 %1，仅有 %2</translation>
    </message>
    <message>
        <source>%1 plans predicted, %2 ruled out by their bounds of time and memory.</source>
        <translation>预测了 %1 个方案，%2 个因时间和内存的界限被排除。</translation>
    </message>
    <message>
        <source>Left out: %1 with %2.</source>
        <translation>略去：%1 个，%2。</translation>
    </message>
    <message>
        <source>ranks %1 to %2</source>
        <translation>rank %1 至 %2</translation>
    </message>
    <message>
        <source>ranks %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>It shares each layer with %1, %2.</source>
        <translation>它与 %1 分担每一层，%2。</translation>
    </message>
    <message>
        <source>It shares each sequence with %1, %2.</source>
        <translation>它与 %1 分担每个序列，%2。</translation>
    </message>
    <message>
        <source>It sums its gradients with %1, %2.</source>
        <translation>它与 %1 求梯度之和，%2。</translation>
    </message>
    <message>
        <source>It passes activations and gradients along the pipeline of %1, %2.</source>
        <translation>它沿 %1 的流水线传递激活和梯度，%2。</translation>
    </message>
    <message>
        <source>inside a node</source>
        <translation>在节点内</translation>
    </message>
    <message>
        <source>across %1 nodes, %2 ranks in each</source>
        <translation>跨 %1 个节点，每个 %2 个 rank</translation>
    </message>
    <message>
        <source>across %1 nodes</source>
        <translation>跨 %1 个节点</translation>
    </message>
    <message>
        <source>, %1 GB/s</source>
        <translation>，%1 GB/s</translation>
    </message>
    <message>
        <source>; a rank sends %1 a step</source>
        <translation>；每个 rank 每步发送 %1</translation>
    </message>
    <message>
        <source>; a rank sends %1 messages a step</source>
        <translation>；每个 rank 每步发送 %1 条消息</translation>
    </message>
    <message>
        <source>, waits %1 of it</source>
        <translation>，其中 %1 在等待</translation>
    </message>
    <message>
        <source>Rank %1 on node %2: %3.</source>
        <translation>节点 %2 上的 rank %1：%3。</translation>
    </message>
    <message>
        <source>over the network</source>
        <translation>经网络</translation>
    </message>
    <message>
        <source>inside the node</source>
        <translation>在节点内</translation>
    </message>
    <message>
        <source>%1 ranks on one node</source>
        <translation>%1 个 rank，一个节点</translation>
    </message>
    <message>
        <source>L&amp;ecture…</source>
        <translation>讲座(&amp;E)…</translation>
    </message>
    <message>
        <source>Scenes with notes in a file: present them, or export them as slides</source>
        <translation>文件中带备注的场景：可演示，或导出为幻灯片</translation>
    </message>
    <message>
        <source>lecture: scenes with notes, to be presented</source>
        <translation>讲座：带备注的场景，供演示</translation>
    </message>
    <message>
        <source>Challenge</source>
        <translation>挑战</translation>
    </message>
    <message>
        <source>Scenes, tours, challenges and examples</source>
        <translation>场景、导览、挑战和示例</translation>
    </message>
    <message>
        <source>&amp;Hint</source>
        <translation>提示(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Solution</source>
        <translation>答案(&amp;S)</translation>
    </message>
    <message>
        <source>Says where to look</source>
        <translation>告诉您该看哪里</translation>
    </message>
    <message>
        <source>Makes the change that meets every goal; Reset takes it back</source>
        <translation>做出满足所有目标的修改；“重置”可撤回</translation>
    </message>
    <message>
        <source>Met: </source>
        <translation>已达成：</translation>
    </message>
    <message>
        <source>Not met yet: </source>
        <translation>尚未达成：</translation>
    </message>
    <message>
        <source>%1 of %2 goals are met</source>
        <translation>%2 个目标中已达成 %1 个</translation>
    </message>
    <message>
        <source>This is a solution</source>
        <translation>这是一个答案</translation>
    </message>
    <message>
        <source>Solved</source>
        <translation>已解决</translation>
    </message>
    <message>
        <source>Challenges</source>
        <translation>挑战</translation>
    </message>
    <message>
        <source>Lecture</source>
        <translation>讲座</translation>
    </message>
    <message>
        <source>Lectures</source>
        <translation>讲座</translation>
    </message>
    <message>
        <source>Show a plan in the window, then add it here as a scene.</source>
        <translation>先在窗口中显示一个方案，再在此将其添加为场景。</translation>
    </message>
    <message>
        <source>Title of the lecture</source>
        <translation>讲座标题</translation>
    </message>
    <message>
        <source>Scenes in order</source>
        <translation>按顺序排列的场景</translation>
    </message>
    <message>
        <source>&amp;Add this plan</source>
        <translation>添加此方案(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Up</source>
        <translation>上移(&amp;U)</translation>
    </message>
    <message>
        <source>Shows the scene earlier</source>
        <translation>更早显示该场景</translation>
    </message>
    <message>
        <source>&amp;Down</source>
        <translation>下移(&amp;D)</translation>
    </message>
    <message>
        <source>Shows the scene later</source>
        <translation>更晚显示该场景</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>Removes the scene from the lecture</source>
        <translation>从讲座中移除该场景</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Notes beside the picture, as Markdown. {bubble}, {iteration} and {peak} are filled with the plan&apos;s figures.</source>
        <translation>图旁的备注，使用 Markdown。{bubble}、{iteration} 和 {peak} 会填入方案的数值。</translation>
    </message>
    <message>
        <source>Another lecture in the place of this one</source>
        <translation>用另一个讲座替换当前讲座</translation>
    </message>
    <message>
        <source>&amp;Save as…</source>
        <translation>另存为(&amp;S)…</translation>
    </message>
    <message>
        <source>From then on every change is written to the file</source>
        <translation>此后每次修改都会写入该文件</translation>
    </message>
    <message>
        <source>S&amp;lides…</source>
        <translation>幻灯片(&amp;L)…</translation>
    </message>
    <message>
        <source>Every scene as a page of a PDF</source>
        <translation>每个场景作为 PDF 的一页</translation>
    </message>
    <message>
        <source>&amp;Present</source>
        <translation>演示(&amp;P)</translation>
    </message>
    <message>
        <source>Not saved yet: choose a file with Save as.</source>
        <translation>尚未保存：请用“另存为”选择文件。</translation>
    </message>
    <message>
        <source>The lecture was not saved. </source>
        <translation>讲座未保存。</translation>
    </message>
    <message>
        <source>Saved in %1.</source>
        <translation>已保存到 %1。</translation>
    </message>
    <message>
        <source>Opened %1. Every change is written to it.</source>
        <translation>已打开 %1。每次修改都会写入该文件。</translation>
    </message>
    <message>
        <source>Open a lecture</source>
        <translation>打开讲座</translation>
    </message>
    <message>
        <source>Save the lecture</source>
        <translation>保存讲座</translation>
    </message>
    <message>
        <source>The slides are in %1.</source>
        <translation>幻灯片已保存到 %1。</translation>
    </message>
    <message>
        <source>Solution</source>
        <translation>答案</translation>
    </message>
    <message>
        <source>Also as MP4, through ffmpeg</source>
        <translation>也可通过 ffmpeg 导出为 MP4</translation>
    </message>
    <message>
        <source>For MP4 install ffmpeg</source>
        <translation>如需 MP4，请安装 ffmpeg</translation>
    </message>
    <message>
        <source>GIF animation (*.gif)</source>
        <translation>GIF 动画 (*.gif)</translation>
    </message>
    <message>
        <source>MP4 video (*.mp4)</source>
        <translation>MP4 视频 (*.mp4)</translation>
    </message>
    <message>
        <source>Selected</source>
        <translation>选中的</translation>
    </message>
    <message>
        <source>copies</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <source>copies to the host and back</source>
        <translation>与主机之间的拷贝</translation>
    </message>
    <message>
        <source>is %1</source>
        <translation>为 %1</translation>
    </message>
    <message>
        <source>is %1, but %2</source>
        <translation>为 %1，但%2</translation>
    </message>
    <message>
        <source>choose %1</source>
        <translation>请选择 %1</translation>
    </message>
    <message>
        <source>choose %1 or more</source>
        <translation>请选择 %1 或更大的值</translation>
    </message>
    <message>
        <source>choose %1 to %2</source>
        <translation>请选择 %1 到 %2</translation>
    </message>
    <message>
        <source>choose %1 to %2 ms</source>
        <translation>请选择 %1 到 %2 ms</translation>
    </message>
    <message>
        <source>choose %1 to %2, such as %3</source>
        <translation>请选择 %1 到 %2，例如 %3</translation>
    </message>
    <message>
        <source>choose at most %1</source>
        <translation>请选择至多 %1</translation>
    </message>
    <message>
        <source>choose less than %1</source>
        <translation>请选择小于 %1 的值</translation>
    </message>
    <message>
        <source>choose less</source>
        <translation>请选择更小的值</translation>
    </message>
    <message>
        <source>choose 0 to less than 1</source>
        <translation>请选择 0 到小于 1 的值</translation>
    </message>
    <message>
        <source>choose more than 0, or null for none</source>
        <translation>请选择大于 0 的值，或用 null 表示不裁剪</translation>
    </message>
    <message>
        <source>choose more than low_freq_factor, which is %1</source>
        <translation>请选择大于 low_freq_factor（%1）的值</translation>
    </message>
    <message>
        <source>choose a divisor of %1</source>
        <translation>请选择 %1 的约数</translation>
    </message>
    <message>
        <source>choose another one</source>
        <translation>请选择另一个值</translation>
    </message>
    <message>
        <source>choose another number of heads</source>
        <translation>请选择另一个头数</translation>
    </message>
    <message>
        <source>choose cpu or cuda</source>
        <translation>请选择 cpu 或 cuda</translation>
    </message>
    <message>
        <source>choose family llama, or 0 experts</source>
        <translation>请选择 llama 架构，或 0 个专家</translation>
    </message>
    <message>
        <source>choose 0, or ZeRO 1 to 3</source>
        <translation>请选择 0，或 ZeRO 1 到 3</translation>
    </message>
    <message>
        <source>choose 0, or at least 2 replicas</source>
        <translation>请选择 0，或至少 2 个副本</translation>
    </message>
    <message>
        <source>choose 1, or a synchronous schedule such as 1f1b</source>
        <translation>请选择 1，或同步调度，例如 1f1b</translation>
    </message>
    <message>
        <source>choose 1, or give model.experts</source>
        <translation>请选择 1，或设置 model.experts</translation>
    </message>
    <message>
        <source>choose %1, or --context-method all-gather or ring</source>
        <translation>请选择 %1，或 --context-method all-gather 或 ring</translation>
    </message>
    <message>
        <source>choose %1, or a model.sequence of %2</source>
        <translation>请选择 %1，或将 model.sequence 设为 %2</translation>
    </message>
    <message>
        <source>is empty</source>
        <translation>为空</translation>
    </message>
    <message>
        <source>name one</source>
        <translation>请指定一个</translation>
    </message>
    <message>
        <source>name that</source>
        <translation>请使用它</translation>
    </message>
    <message>
        <source>holds bytes that are no UTF-8 text</source>
        <translation>含有不是 UTF-8 文本的字节</translation>
    </message>
    <message>
        <source>rename it</source>
        <translation>请重命名</translation>
    </message>
    <message>
        <source>rename the file</source>
        <translation>请重命名该文件</translation>
    </message>
    <message>
        <source>is %1, and %2 heads of it are wider than %3</source>
        <translation>为 %1，%2 个这样的头宽于 %3</translation>
    </message>
    <message>
        <source>is %1, but the %2 heads of gpt divide hidden %3</source>
        <translation>为 %1，但 gpt 的 %2 个头均分隐藏宽度 %3</translation>
    </message>
    <message>
        <source>leave it out or choose family llama</source>
        <translation>请不设置，或选择 llama 架构</translation>
    </message>
    <message>
        <source>%1 heads do not divide hidden %2</source>
        <translation>%1 个头不能整除隐藏宽度 %2</translation>
    </message>
    <message>
        <source>a head is %1 wide, and rotary positions need an even width</source>
        <translation>头的宽度为 %1，而旋转位置编码需要偶数宽度</translation>
    </message>
    <message>
        <source>is %1, but the experts are MLPs of a llama</source>
        <translation>为 %1，但专家是 llama 的 MLP</translation>
    </message>
    <message>
        <source>is %1, more than the %2 experts</source>
        <translation>为 %1，多于 %2 个专家</translation>
    </message>
    <message>
        <source>%1 key and value heads do not divide %2 heads</source>
        <translation>%1 个键值头不能整除 %2 个头</translation>
    </message>
    <message>
        <source>has about %1 parameters, and at most %2 are accepted</source>
        <translation>约有 %1 个参数，最多接受 %2 个</translation>
    </message>
    <message>
        <source>lower its sizes</source>
        <translation>请减小其尺寸</translation>
    </message>
    <message>
        <source>a step&apos;s activations are about %1 bytes, and at most %2 are accepted</source>
        <translation>一步的激活约为 %1 字节，最多接受 %2</translation>
    </message>
    <message>
        <source>lower microbatch_size, microbatches or the model&apos;s sizes</source>
        <translation>请减小 microbatch_size、microbatches 或模型尺寸</translation>
    </message>
    <message>
        <source>has %1 entries for %2 stages</source>
        <translation>有 %1 项，而阶段有 %2 个</translation>
    </message>
    <message>
        <source>give one for each stage</source>
        <translation>请为每个阶段各给一项</translation>
    </message>
    <message>
        <source>give one for each stage, or one number for all</source>
        <translation>请为每个阶段各给一项，或给一个通用的数</translation>
    </message>
    <message>
        <source>has a negative entry</source>
        <translation>有负数项</translation>
    </message>
    <message>
        <source>give 0 layers or more</source>
        <translation>请给 0 层或更多</translation>
    </message>
    <message>
        <source>has a stage without a layer</source>
        <translation>有没有层的阶段</translation>
    </message>
    <message>
        <source>give each at least 1, or choose redis, which may leave a stage without</source>
        <translation>请给每个阶段至少 1 层，或选择允许空阶段的 redis</translation>
    </message>
    <message>
        <source>adds up to %1 layers, but there are %2</source>
        <translation>合计 %1 层，但共有 %2 层</translation>
    </message>
    <message>
        <source>change an entry or the layers</source>
        <translation>请修改某一项或层数</translation>
    </message>
    <message>
        <source>must be all ones in a teaching example without a model</source>
        <translation>在没有模型的教学示例中必须全为 1</translation>
    </message>
    <message>
        <source>is %1, but given durations are of whole passes</source>
        <translation>为 %1，但给定的时长是整个计算块的</translation>
    </message>
    <message>
        <source>is %1, which does not divide %2</source>
        <translation>为 %1，不能整除 %2</translation>
    </message>
    <message>
        <source>is %1, which does not divide the %2</source>
        <translation>为 %1，不能整除 %2</translation>
    </message>
    <message>
        <source>is %1, which with %2 devices makes more parts than the %3 tokens of model.vocabulary_size</source>
        <translation>为 %1，与 %2 个设备相乘的份数多于 model.vocabulary_size 的 %3 个词元</translation>
    </message>
    <message>
        <source>lower either</source>
        <translation>请减小其中之一</translation>
    </message>
    <message>
        <source>is %1, but without ZeRO replicas shard nothing</source>
        <translation>为 %1，但不用 ZeRO 时副本不分片</translation>
    </message>
    <message>
        <source>is %1, which is no divisor above 1 of the %2 replicas</source>
        <translation>为 %1，不是 %2 个副本的大于 1 的约数</translation>
    </message>
    <message>
        <source>is %1, which is no divisor above 1 of the %2 replica</source>
        <translation>为 %1，不是 %2 个副本的大于 1 的约数</translation>
    </message>
    <message>
        <source>give each of tp, cp, dp and pp once, fastest first, such as %1</source>
        <translation>请将 tp、cp、dp 和 pp 各写一次，最快的在前，例如 %1</translation>
    </message>
    <message>
        <source>is %1, but one replica has no other to share with</source>
        <translation>为 %1，但单个副本没有可分担的对象</translation>
    </message>
    <message>
        <source>%1 microbatches on %2 stages are more than %3 forward passes</source>
        <translation>%2 个阶段上的 %1 个微批次超过 %3 个前向计算块</translation>
    </message>
    <message>
        <source>lower microbatches to %1</source>
        <translation>请将微批次减少到 %1</translation>
    </message>
    <message>
        <source>is %1, more than the %2 tokens of a sequence</source>
        <translation>为 %1，多于序列的 %2 个词元</translation>
    </message>
    <message>
        <source>lower it</source>
        <translation>请减小它</translation>
    </message>
    <message>
        <source>%1 devices need as many layers as stages, %2, but there are %3</source>
        <translation>%1 个设备需要与阶段数（%2）同样多的层，但只有 %3 层</translation>
    </message>
    <message>
        <source>%1 devices with %2 chunks each need as many layers as stages, %3, but there are %4</source>
        <translation>%1 个设备各有 %2 个分块，需要与阶段数（%3）同样多的层，但只有 %4 层</translation>
    </message>
    <message>
        <source>lower devices to %1 or choose redis</source>
        <translation>请将设备减少到 %1，或选择 redis</translation>
    </message>
    <message>
        <source>lower chunks or choose redis</source>
        <translation>请减少分块或选择 redis</translation>
    </message>
    <message>
        <source>is %1, less than the %2 devices</source>
        <translation>为 %1，少于 %2 个设备</translation>
    </message>
    <message>
        <source>raise it or lower devices</source>
        <translation>请增大它或减少设备</translation>
    </message>
    <message>
        <source>needs a model to compute costs from</source>
        <translation>需要模型来计算成本</translation>
    </message>
    <message>
        <source>give a model, or uniform costs or durations</source>
        <translation>请给出模型，或统一成本，或时长</translation>
    </message>
    <message>
        <source>the plan has %1 ranks, and %2 has %3 (%4 nodes of %5)</source>
        <translation>方案有 %1 个 rank，而 %2 有 %3 个（%4 个节点，每个 %5 个）</translation>
    </message>
    <message>
        <source>lower devices to %1, or raise its nodes to %2</source>
        <translation>请将设备减少到 %1，或将节点增加到 %2</translation>
    </message>
    <message>
        <source>lower the replicas to %1, or raise its nodes to %2</source>
        <translation>请将副本减少到 %1，或将节点增加到 %2</translation>
    </message>
    <message>
        <source>is no pass or message</source>
        <translation>不是计算块或消息</translation>
    </message>
    <message>
        <source>there are %1</source>
        <translation>可用的有 %1</translation>
    </message>
    <message>
        <source>is missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>a custom schedule needs its file</source>
        <translation>自定义调度需要其文件</translation>
    </message>
    <message>
        <source>stands beside schedule.file</source>
        <translation>与 schedule.file 同时出现</translation>
    </message>
    <message>
        <source>leave one of the two out</source>
        <translation>请去掉其中一个</translation>
    </message>
    <message>
        <source>is %1, but %2 has a custom schedule</source>
        <translation>为 %1，但 %2 含有自定义调度</translation>
    </message>
    <message>
        <source>has %1</source>
        <translation>含有 %1</translation>
    </message>
    <message>
        <source>%1 has %2 chunks a device, and %3 are given</source>
        <translation>%1 每个设备有 %2 个分块，而给出了 %3 个</translation>
    </message>
    <message>
        <source>%1 has %2 chunk a device, and %3 are given</source>
        <translation>%1 每个设备有 %2 个分块，而给出了 %3 个</translation>
    </message>
    <message>
        <source>leave chunks out or give %1</source>
        <translation>请不设置分块数，或设为 %1</translation>
    </message>
    <message>
        <source>%1 does not run in groups of microbatches</source>
        <translation>%1 不按微批次组运行</translation>
    </message>
    <message>
        <source>leave it out or choose interleaved-1f1b</source>
        <translation>请不设置，或选择 interleaved-1f1b</translation>
    </message>
    <message>
        <source>%1 has no waves</source>
        <translation>%1 没有波</translation>
    </message>
    <message>
        <source>leave it out or choose hanayo</source>
        <translation>请不设置，或选择 hanayo</translation>
    </message>
    <message>
        <source>%1 runs whole sequences</source>
        <translation>%1 运行完整的序列</translation>
    </message>
    <message>
        <source>leave it out or choose seq1f1b</source>
        <translation>请不设置，或选择 seq1f1b</translation>
    </message>
    <message>
        <source>is %1 bytes</source>
        <translation>为 %1 字节</translation>
    </message>
    <message>
        <source>%1 is a family, not a method</source>
        <translation>%1 是调度族，不是方法</translation>
    </message>
    <message>
        <source>leave vocabulary out and choose the schedule %1</source>
        <translation>请不设置词表方法，并选择调度 %1</translation>
    </message>
    <message>
        <source>is %1 for stage %2, which has %3 layers</source>
        <translation>阶段 %2 为 %1，而它有 %3 层</translation>
    </message>
    <message>
        <source>is %1, and stages have at most %2 layers</source>
        <translation>为 %1，而各阶段最多 %2 层</translation>
    </message>
    <message>
        <source>is %1, but a fraction is from 0 to 1</source>
        <translation>为 %1，但比例应在 0 到 1 之间</translation>
    </message>
    <message>
        <source>is %1, but %2 updates weights before a step has ended, and %3 sum their gradients at its end</source>
        <translation>为 %1，但 %2 在一步结束前更新权重，而 %3 在步末求梯度之和</translation>
    </message>
    <message>
        <source>is %1, but ulysses divides the %2 heads of keys and values of a tensor rank among the context ranks</source>
        <translation>为 %1，但 ulysses 将一个张量 rank 的 %2 个键值头分给各上下文 rank</translation>
    </message>
    <message>
        <source>is %1, but a sequence of %2 tokens is not a multiple of %3 chunks (2 for each rank)</source>
        <translation>为 %1，但 %2 个词元的序列不是 %3 块（每个 rank 2 块）的整数倍</translation>
    </message>
    <message>
        <source>is %1, but a sequence of %2 tokens is not a multiple of %3 chunks (2 for each context and tensor rank)</source>
        <translation>为 %1，但 %2 个词元的序列不是 %3 块（每个上下文 rank 和张量 rank 2 块）的整数倍</translation>
    </message>
    <message>
        <source>is given, but all experts of a layer are on one rank, which computes as many rows whatever they choose</source>
        <translation>已给出，但一层的所有专家都在一个 rank 上，无论如何选择其计算的行数都相同</translation>
    </message>
    <message>
        <source>give parallel.expert, or leave it out</source>
        <translation>请设置 parallel.expert，或不设置它</translation>
    </message>
    <message>
        <source>is %1, but the model has no experts</source>
        <translation>为 %1，但模型没有专家</translation>
    </message>
    <message>
        <source>%1 has no number for its factor</source>
        <translation>%1 的倍数不是数</translation>
    </message>
    <message>
        <source>write 1.5 for half as long again</source>
        <translation>写 1.5 表示多用一半时间</translation>
    </message>
    <message>
        <source>%1 has the factor %2</source>
        <translation>%1 的倍数为 %2</translation>
    </message>
    <message>
        <source>%1 names nothing slow</source>
        <translation>%1 没有指明什么变慢</translation>
    </message>
    <message>
        <source>write DEVICE=F, rank=R:F, node=N:F or replica=K:F, such as 3=1.5</source>
        <translation>请写 DEVICE=F、rank=R:F、node=N:F 或 replica=K:F，例如 3=1.5</translation>
    </message>
    <message>
        <source>%1 names no link</source>
        <translation>%1 没有指明链路</translation>
    </message>
    <message>
        <source>write two devices and a factor, such as 2-3=4</source>
        <translation>请写两个设备和一个倍数，例如 2-3=4</translation>
    </message>
    <message>
        <source>names %1 %2, but the plan has only %3 0</source>
        <translation>指定了 %1 %2，但方案只有 %3 0</translation>
    </message>
    <message>
        <source>names %1 %2, but the plan has %3 0 to %4</source>
        <translation>指定了 %1 %2，但方案有 %3 0 到 %4</translation>
    </message>
    <message>
        <source>names %1 twice</source>
        <translation>两次指定了 %1</translation>
    </message>
    <message>
        <source>keep one</source>
        <translation>请保留一个</translation>
    </message>
    <message>
        <source>names a node, but durations that are given say nothing of nodes</source>
        <translation>指定了节点，但给定的时长不涉及节点</translation>
    </message>
    <message>
        <source>name devices or ranks, or choose a hardware preset</source>
        <translation>请指定设备或 rank，或选择硬件预设</translation>
    </message>
    <message>
        <source>joins device %1 to itself</source>
        <translation>将设备 %1 与其自身相连</translation>
    </message>
    <message>
        <source>name two devices, such as %1</source>
        <translation>请指定两个设备，例如 %1</translation>
    </message>
    <message>
        <source>is given without jitter, so that all draws are equal</source>
        <translation>给出时没有抖动，因此所有抽样都相同</translation>
    </message>
    <message>
        <source>add jitter such as 0.05, or leave it out</source>
        <translation>请加上抖动，例如 0.05，或不设置它</translation>
    </message>
    <message>
        <source>is %1, and each draw simulates about %2 passes</source>
        <translation>为 %1，每次抽样约模拟 %2 个计算块</translation>
    </message>
    <message>
        <source>cannot be used: one draw would simulate about %1 passes of all replicas, and at most %2 are drawn</source>
        <translation>无法使用：一次抽样约模拟所有副本的 %1 个计算块，最多抽样 %2 个</translation>
    </message>
    <message>
        <source>lower the replicas or the microbatches, or leave jitter out</source>
        <translation>请减少副本或微批次，或不设置抖动</translation>
    </message>
    <message>
        <source>needs checkpoint_seconds, the time of a checkpoint</source>
        <translation>需要 checkpoint_seconds，即一次检查点的时间</translation>
    </message>
    <message>
        <source>needs failure_interval, the hours between failures</source>
        <translation>需要 failure_interval，即两次故障之间的小时数</translation>
    </message>
    <message>
        <source>give both, or neither</source>
        <translation>请两者都给出，或都不给</translation>
    </message>
    <message>
        <source>give it, or leave this out</source>
        <translation>请给出它，或不设置此项</translation>
    </message>
    <message>
        <source>is %1, but with a failure every %2 hours a checkpoint must take less than half of that</source>
        <translation>为 %1，但每 %2 小时一次故障时，检查点必须少于其一半</translation>
    </message>
    <message>
        <source>%1 devices are more than the %2 of this picture</source>
        <translation>%1 个设备多于此图的 %2 个</translation>
    </message>
    <message>
        <source>%1 microbatches are more than the %2 of this picture</source>
        <translation>%1 个微批次多于此图的 %2 个</translation>
    </message>
    <message>
        <source>a search takes too long for this picture</source>
        <translation>对此图而言搜索太慢</translation>
    </message>
    <message>
        <source>choose a schedule</source>
        <translation>请选择一种调度</translation>
    </message>
    <message>
        <source>the plan has more than the %1 forwards of this picture</source>
        <translation>方案的前向多于此图的 %1 个</translation>
    </message>
    <message>
        <source>use fewer chunks or microbatches</source>
        <translation>请减少分块或微批次</translation>
    </message>
    <message>
        <source>%1 is missing</source>
        <translation>缺少 %1</translation>
    </message>
    <message>
        <source>add it to device %1</source>
        <translation>请将它加到设备 %1</translation>
    </message>
    <message>
        <source>%1 runs twice, first at %2</source>
        <translation>%1 运行了两次，首次在%2</translation>
    </message>
    <message>
        <source>remove one of the two</source>
        <translation>请移除其中一个</translation>
    </message>
    <message>
        <source>remove it from device %1</source>
        <translation>请从设备 %1 移除它</translation>
    </message>
    <message>
        <source>move it to device %1</source>
        <translation>请将它移到设备 %1</translation>
    </message>
    <message>
        <source>%1 is on device %2 but stage %3 belongs to device %4</source>
        <translation>%1 在设备 %2 上，但阶段 %3 属于设备 %4</translation>
    </message>
    <message>
        <source>%1 needs %2, which comes only at %3</source>
        <translation>%1 需要 %2，而后者到 %3 才出现</translation>
    </message>
    <message>
        <source>move %1 in front of %2</source>
        <translation>请将 %1 移到 %2 之前</translation>
    </message>
    <message>
        <source>move it in front of %1</source>
        <translation>请将它移到 %1 之前</translation>
    </message>
    <message>
        <source>a run takes the times of its machine</source>
        <translation>运行使用其机器的实际时间</translation>
    </message>
    <message>
        <source>leave it out to run the plan, or only predict the plan</source>
        <translation>要运行方案请不设置它，或只做预测</translation>
    </message>
    <message>
        <source>the probabilities of a part of the keys change with every part that follows</source>
        <translation>一部分键的概率会随后续每一部分而变化</translation>
    </message>
    <message>
        <source>choose all-gather, or flash attention</source>
        <translation>请选择 all-gather，或 flash 注意力</translation>
    </message>
    <message>
        <source>choose 1, or exchange once a step (zero2 deferred, zero3 resident)</source>
        <translation>请选择 1，或每步交换一次（zero2 deferred、zero3 resident）</translation>
    </message>
    <message>
        <source>a run takes the choices of its routers</source>
        <translation>运行使用其路由器的选择</translation>
    </message>
    <message>
        <source>it would treat the matrices of all experts of a layer as one</source>
        <translation>它会把一层所有专家的矩阵当作一个</translation>
    </message>
    <message>
        <source>a prediction has one time for all forwards of a stage, and only some of them gather</source>
        <translation>预测中一个阶段的所有前向用同一时间，而只有一部分会收集参数</translation>
    </message>
    <message>
        <source>context ranks shard with all replicas</source>
        <translation>上下文 rank 与所有副本一起分片</translation>
    </message>
    <message>
        <source>choose 0, or one context rank</source>
        <translation>请选择 0，或一个上下文 rank</translation>
    </message>
    <message>
        <source>given durations do not say what exchanges take</source>
        <translation>给定的时长未说明交换的用时</translation>
    </message>
    <message>
        <source>choose a hardware preset, or exchange once a step (zero2 deferred, zero3 resident)</source>
        <translation>请选择硬件预设，或每步交换一次（zero2 deferred、zero3 resident）</translation>
    </message>
    <message>
        <source>replicas would wait for each other in every pass, and each is simulated alone</source>
        <translation>副本会在每个计算块中互相等待，而模拟时各自独立</translation>
    </message>
    <message>
        <source>choose to exchange once a step (zero2 deferred, zero3 resident), or leave the what-if out</source>
        <translation>请选择每步交换一次（zero2 deferred、zero3 resident），或不设置假设情形</translation>
    </message>
    <message>
        <source>tensor ranks divide the rows and columns that its state is of</source>
        <translation>张量 rank 会划分其状态所属的行和列</translation>
    </message>
    <message>
        <source>choose adamw, lion or sgd, or tensor 1</source>
        <translation>请选择 adamw、lion 或 sgd，或张量 1</translation>
    </message>
    <message>
        <source>the GPU kernels of attention never store its probabilities</source>
        <translation>GPU 的注意力内核从不存储概率</translation>
    </message>
    <message>
        <source>choose flash, or the backend cpu</source>
        <translation>请选择 flash，或 cpu 后端</translation>
    </message>
    <message>
        <source>GPUs compute GELU within a product, and a kernel of its own rounds differently</source>
        <translation>GPU 在矩阵乘中计算 GELU，单独的内核舍入不同</translation>
    </message>
    <message>
        <source>leave activation out, or choose the backend cpu</source>
        <translation>请去掉 activation，或选择 cpu 后端</translation>
    </message>
    <message>
        <source>the slices of a sequence share keys and values, which stay on the device</source>
        <translation>序列的各切片共享留在设备上的键和值</translation>
    </message>
    <message>
        <source>choose none, or the family 1f1b</source>
        <translation>请选择 none，或调度族 1f1b</translation>
    </message>
    <message>
        <source>draws of the jitter do not yet wait for copies</source>
        <translation>抖动的抽样尚不等待拷贝</translation>
    </message>
    <message>
        <source>choose none, or leave what_if.jitter out</source>
        <translation>请选择 none，或不设置 what_if.jitter</translation>
    </message>
    <message>
        <source>the memory of slices is planned for attention that does not keep its probabilities</source>
        <translation>切片的内存按不保留概率的注意力规划</translation>
    </message>
    <message>
        <source>choose flash</source>
        <translation>请选择 flash</translation>
    </message>
    <message>
        <source>context ranks do not yet gather the keys of slices</source>
        <translation>上下文 rank 尚不能收集切片的键</translation>
    </message>
    <message>
        <source>choose 1, or the family 1f1b</source>
        <translation>请选择 1，或调度族 1f1b</translation>
    </message>
    <message>
        <source>slices are cut from sequences of equal length</source>
        <translation>切片取自等长的序列</translation>
    </message>
    <message>
        <source>choose 1f1b, or leave it out</source>
        <translation>请选择 1f1b，或不设置它</translation>
    </message>
    <message>
        <source>a run takes the lengths of its data</source>
        <translation>运行使用其数据的长度</translation>
    </message>
    <message>
        <source>a run fails when its machine does</source>
        <translation>机器故障时运行才会失败</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <translation>%1；%2</translation>
    </message>
    <message>
        <source>. Throughput and MFU are of all ranks, bubble and memory of one rank of each device.</source>
        <translation>。吞吐量和 MFU 针对所有 rank，气泡和内存针对每个设备的一个 rank。</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>line %1, word %2</source>
        <translation>第 %1 行第 %2 个词</translation>
    </message>
    <message>
        <source>position %1</source>
        <translation>位置 %1</translation>
    </message>
    <message>
        <source>Shared experts</source>
        <translation>共享专家</translation>
    </message>
    <message>
        <source>Experts beside the routed ones that compute every token, as one MLP of n times the width of an expert.</source>
        <translation>路由专家之外计算每个词元的专家，相当于一个宽度为专家 n 倍的 MLP。</translation>
    </message>
    <message>
        <source>First dense layers</source>
        <translation>前面的稠密层</translation>
    </message>
    <message>
        <source>First layers that have one MLP for all tokens all the same.</source>
        <translation>仍然对所有词元使用同一个 MLP 的前几层。</translation>
    </message>
    <message>
        <source>Expert layers</source>
        <translation>专家层间隔</translation>
    </message>
    <message>
        <source>Of the layers after the first dense ones, every k-th has experts and the others have one MLP.</source>
        <translation>在前面的稠密层之后，每 k 层有一层含专家，其余各层只有一个 MLP。</translation>
    </message>
    <message>
        <source>Router</source>
        <translation>路由器</translation>
    </message>
    <message>
        <source>How a router weighs experts.</source>
        <translation>路由器如何给专家加权。</translation>
    </message>
    <message>
        <source>Softmax</source>
        <translation>Softmax</translation>
    </message>
    <message>
        <source>Gates are the softmax of a token&apos;s chosen logits</source>
        <translation>门值是词元所选 logits 的 softmax</translation>
    </message>
    <message>
        <source>Sigmoid and bias</source>
        <translation>Sigmoid 加偏置</translation>
    </message>
    <message>
        <source>Gates are sigmoids that add up to 1; a bias of each expert, which counts for the choice alone, is moved by each step</source>
        <translation>门值是总和为 1 的 sigmoid；每个专家有一个只影响选择的偏置，每一步都会调整它</translation>
    </message>
    <message>
        <source>Bias step</source>
        <translation>偏置步长</translation>
    </message>
    <message>
        <source>With sigmoid routers: each step raises the bias of experts with fewer tokens than the mean by G, and lowers that of the others (0: leaves it).</source>
        <translation>用于 sigmoid 路由器：每一步把词元少于平均值的专家的偏置提高 G，并降低其余专家的偏置（0：不变）。</translation>
    </message>
    <message>
        <source>Gate factor</source>
        <translation>门值系数</translation>
    </message>
    <message>
        <source>With sigmoid routers: factor of all gates.</source>
        <translation>用于 sigmoid 路由器：所有门值的系数。</translation>
    </message>
    <message>
        <source>Expert groups</source>
        <translation>专家组</translation>
    </message>
    <message>
        <source>With sigmoid routers: groups of adjacent experts, such as those of a node.</source>
        <translation>用于 sigmoid 路由器：相邻专家的分组，例如同一节点上的专家。</translation>
    </message>
    <message>
        <source>Groups of a token</source>
        <translation>词元可选的组</translation>
    </message>
    <message>
        <source>With sigmoid routers: groups from which a token chooses (0: all).</source>
        <translation>用于 sigmoid 路由器：词元可从中选择的组数（0：全部）。</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>容量</translation>
    </message>
    <message>
        <source>Rows that an expert takes of a microbatch, relative to the mean; it drops the others.</source>
        <translation>一个专家从一个微批次接收的行数，相对于平均值；其余的被丢弃。</translation>
    </message>
    <message>
        <source>dropless</source>
        <translation>不丢弃</translation>
    </message>
    <message>
        <source>Dropped rows</source>
        <translation>丢弃的行</translation>
    </message>
    <message>
        <source>Which rows an expert drops beyond its capacity.</source>
        <translation>超出容量时专家丢弃哪些行。</translation>
    </message>
    <message>
        <source>Least gates</source>
        <translation>门值最小</translation>
    </message>
    <message>
        <source>The rows of the least gates; ties keep the earlier token</source>
        <translation>门值最小的行；相等时保留较早的词元</translation>
    </message>
    <message>
        <source>Last tokens</source>
        <translation>最后的词元</translation>
    </message>
    <message>
        <source>The rows of the last tokens of the microbatch</source>
        <translation>微批次中最后词元的行</translation>
    </message>
    <message>
        <source>small mixture of 16 experts for a laptop, 2 of which and a shared one compute a token</source>
        <translation>适合笔记本电脑的 16 专家小模型，每个词元由其中 2 个和一个共享专家计算</translation>
    </message>
    <message>
        <source>DeepSeek-V3, 256 experts of which 8 and a shared one compute a token; only predicted, without its prediction of a second token</source>
        <translation>DeepSeek-V3，256 个专家，每个词元由其中 8 个和一个共享专家计算；仅预测，不含对第二个词元的预测</translation>
    </message>
    <message>
        <source>1F1B over slices of each sequence: bubble and memory shrink with the slices</source>
        <translation>以每个序列的切片为单位的 1F1B：气泡和内存随切片数减小</translation>
    </message>
    <message>
        <source>1F1B over slices of each sequence, and a split backward</source>
        <translation>以每个序列的切片为单位的 1F1B，并拆分反向</translation>
    </message>
    <message>
        <source>Gradient compression</source>
        <translation>梯度压缩</translation>
    </message>
    <message>
        <source>All numbers of the gradients</source>
        <translation>梯度的全部数值</translation>
    </message>
    <message>
        <source>PowerSGD, rank 2</source>
        <translation>PowerSGD，秩 2</translation>
    </message>
    <message>
        <source>Two thin matrices whose product is nearly the gradient</source>
        <translation>两个窄矩阵，其乘积接近梯度</translation>
    </message>
    <message>
        <source>PowerSGD, rank 4</source>
        <translation>PowerSGD，秩 4</translation>
    </message>
    <message>
        <source>PowerSGD, rank 16</source>
        <translation>PowerSGD，秩 16</translation>
    </message>
    <message>
        <source>Greatest 1 %</source>
        <translation>最大的 1 %</translation>
    </message>
    <message>
        <source>The numbers that are greatest in size, and their places</source>
        <translation>绝对值最大的数值及其位置</translation>
    </message>
    <message>
        <source>Greatest 10 %</source>
        <translation>最大的 10 %</translation>
    </message>
    <message>
        <source>Signs</source>
        <translation>符号</translation>
    </message>
    <message>
        <source>One bit for each number, and one scale for each matrix</source>
        <translation>每个数一位，每个矩阵一个缩放系数</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>损失缩放</translation>
    </message>
    <message>
        <source>Factor of the loss in fp16, which keeps small gradients from becoming 0: dynamic (halved when a gradient overflows, which skips the step), or a power of two.</source>
        <translation>fp16 中损失所乘的因子，使小梯度不致变为 0：dynamic（梯度溢出时跳过该步并减半），或 2 的幂。</translation>
    </message>
    <message>
        <source>Dynamic</source>
        <translation>动态</translation>
    </message>
    <message>
        <source>Begins at 65536; halved when a gradient overflows, doubled after 1000 steps without</source>
        <translation>从 65536 开始；梯度溢出时减半，连续 1000 步没有溢出则加倍</translation>
    </message>
    <message>
        <source>Stagelens checks whether the other machine can run the plan.</source>
        <translation>Stagelens 会检查另一台机器能否运行该方案。</translation>
    </message>
    <message>
        <source>U&amp;nsaved lecture</source>
        <translation>未保存的讲座(&amp;N)</translation>
    </message>
    <message>
        <source>Back to the lecture that is not saved in a file</source>
        <translation>回到尚未保存到文件的讲座</translation>
    </message>
    <message>
        <source>This lecture is not saved in a file yet: choose one with Save as.</source>
        <translation>此讲座尚未保存到文件：请用“另存为”选择文件。</translation>
    </message>
    <message>
        <source>Not saved in a file yet, but kept for the next start: choose a file with Save as.</source>
        <translation>尚未保存到文件，但会保留到下次启动：请用“另存为”选择文件。</translation>
    </message>
    <message>
        <source>It is kept for the next start: choose another file with Save as.</source>
        <translation>它会保留到下次启动：请用“另存为”选择另一个文件。</translation>
    </message>
    <message>
        <source>start %1</source>
        <translation>起始 %1</translation>
    </message>
    <message>
        <source>goal %1</source>
        <translation>目标 %1</translation>
    </message>
    <message>
        <source>Drag a pass to another place of its lane. With the keyboard, choose one with the arrow keys and move it with Alt+Shift+← and →.</source>
        <translation>将计算块拖到所在泳道的另一位置。使用键盘时，用方向键选择计算块，再用 Alt+Shift+← 和 → 移动。</translation>
    </message>
    <message>
        <source>Puts the pass back that was moved last (Ctrl+Z)</source>
        <translation>将最后移动的计算块移回原处 (Ctrl+Z)</translation>
    </message>
    <message>
        <source>The slides were not written. %1: %2</source>
        <translation>幻灯片未写入。%1：%2</translation>
    </message>
    <message>
        <source>Cancel (%1 of %2)</source>
        <translation>取消 (%1/%2)</translation>
    </message>
    <message>
        <source>Makespan %1, goal %2</source>
        <translation>总时长 %1，目标 %2</translation>
    </message>
    <message>
        <source>%1 microbatches held, cap %2</source>
        <translation>保留 %1 个微批次，上限 %2</translation>
    </message>
    <message>
        <source>%1 microbatches held</source>
        <translation>保留 %1 个微批次</translation>
    </message>
    <message>
        <source>score %1 (lower bound %2)</source>
        <translation>得分 %1（下界 %2）</translation>
    </message>
    <message>
        <source>no score above the cap (lower bound %1)</source>
        <translation>超出上限时不计分（下界 %1）</translation>
    </message>
    <message>
        <source> Its replicas average their weights for %1 (data).</source>
        <translation> 其副本用 %1 求权重的平均（数据）。</translation>
    </message>
    <message>
        <source>Replicas average their weights</source>
        <translation>副本求权重的平均</translation>
    </message>
    <message>
        <source>average</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>average of the replicas&apos; weights (hatched)</source>
        <translation>副本权重的平均（斜线）</translation>
    </message>
    <message>
        <source>choose 1, or at least 2 replicas</source>
        <translation>请选择 1，或至少 2 个副本</translation>
    </message>
    <message>
        <source>choose 1, or zero 0</source>
        <translation>请选择 1，或 zero 0</translation>
    </message>
    <message>
        <source>choose 1, or one context rank</source>
        <translation>请选择 1，或一个上下文 rank</translation>
    </message>
    <message>
        <source>choose 1, or the compression none</source>
        <translation>请选择 1，或压缩 none</translation>
    </message>
    <message>
        <source>choose 1, or leave what_if.jitter out</source>
        <translation>请选择 1，或不设置 what_if.jitter</translation>
    </message>
    <message>
        <source>is %1, but one replica has no other to average weights with</source>
        <translation>为 %1，但只有一个副本时没有其他副本可求权重的平均</translation>
    </message>
    <message>
        <source>is %1, but replicas that are averaged every %2 steps would end with different weights</source>
        <translation>为 %1，但每 %2 步求一次平均的副本最终会有不同的权重</translation>
    </message>
    <message>
        <source>a replica that trains alone updates all of its parameters, and needs the whole optimizer state</source>
        <translation>独自训练的副本更新自己的全部参数，需要完整的优化器状态</translation>
    </message>
    <message>
        <source>context ranks sum their gradients in the reduction over replicas, which it leaves out</source>
        <translation>上下文 rank 在副本间的归约中求梯度之和，而此处省去了该归约</translation>
    </message>
    <message>
        <source>replicas that share their experts exchange tokens in every pass, and none of them trains alone</source>
        <translation>共享专家的副本在每个计算块中交换词元，没有一个是独自训练的</translation>
    </message>
    <message>
        <source>replicas exchange no gradients to compress</source>
        <translation>副本不交换可压缩的梯度</translation>
    </message>
    <message>
        <source>a draw of the jitter is of one step, and replicas wait for each other after several</source>
        <translation>抖动的一次抽样是一步，而副本在若干步之后才互相等待</translation>
    </message>
    <message>
        <source>Steps between averages</source>
        <translation>两次平均之间的步数</translation>
    </message>
    <message>
        <source>1: replicas sum their gradients in every step; more: each trains alone, and their weights are averaged every H steps (local SGD), which changes the training.</source>
        <translation>1：副本在每一步求梯度之和；更大：各自独立训练，每 H 步对权重求平均（local SGD），这会改变训练。</translation>
    </message>
    <message>
        <source>average every %1 steps</source>
        <translation>每 %1 步求平均</translation>
    </message>
    <message>
        <source>Each replica trains alone, and their weights are averaged every %1 steps: the iteration is the mean of these steps, and the timeline shows the last, with the average. The losses are those of another training than with the sum of the gradients.</source>
        <translation>每个副本独自训练，每 %1 步对权重求平均：迭代时间是这些步的平均值，时间线显示其中带平均的最后一步。损失属于与梯度求和不同的另一种训练。</translation>
    </message>
    <message>
        <source>, all of it for %1</source>
        <translation>，全部用于%1</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>The part of the measured time in which no other program had the processor</source>
        <translation>测得的时间中没有其他程序占用处理器的部分</translation>
    </message>
    <message>
        <source>The machine was busy: passes had a processor for %1 of their time, other programs for the rest. Train again when it is idle.</source>
        <translation>机器很忙：计算块只有 %1 的时间占有处理器，其余时间被其他程序占用。请在空闲时重新训练。</translation>
    </message>
    <message>
        <source>The machine was busy: passes had a processor for %1 of their time.</source>
        <translation>机器很忙：计算块只有 %1 的时间占有处理器。</translation>
    </message>
    <message>
        <source>Host memory</source>
        <translation>主机内存</translation>
    </message>
    <message>
        <source>Most bytes that the host of a device holds: activations, optimizer state and weights.</source>
        <translation>一个设备的主机所保存的最多字节：激活、优化器状态和权重。</translation>
    </message>
    <message>
        <source> Averaging weights every %1 steps exposes %2 a step and hides %3.</source>
        <translation>每 %1 步对权重求平均，每步暴露 %2，隐藏 %3。</translation>
    </message>
    <message>
        <source>Every step</source>
        <translation>每一步</translation>
    </message>
    <message>
        <source>Every %1 steps</source>
        <translation>每 %1 步</translation>
    </message>
    <message>
        <source>&amp;Devices</source>
        <translation>设备(&amp;D)</translation>
    </message>
    <message>
        <source>A lane for each pipeline device</source>
        <translation>每个流水线设备一条泳道</translation>
    </message>
    <message>
        <source>Devices and &amp;streams</source>
        <translation>设备和流(&amp;S)</translation>
    </message>
    <message>
        <source>Below each lane: what is exchanged and copied, by dimension</source>
        <translation>每条泳道下方：按维度显示交换和拷贝的内容</translation>
    </message>
    <message>
        <source>Devices, streams and &amp;ranks</source>
        <translation>设备、流和 rank(&amp;R)</translation>
    </message>
    <message>
        <source>Below each lane also the ranks that it stands for</source>
        <translation>每条泳道下方还显示它所代表的 rank</translation>
    </message>
    <message>
        <source>La&amp;nes</source>
        <translation>泳道(&amp;N)</translation>
    </message>
    <message>
        <source>without ZeRO</source>
        <translation>无 ZeRO</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>How evenly the routers of the shown run choose experts</source>
        <translation>所示运行的路由器选择专家的均匀程度</translation>
    </message>
    <message>
        <source>all-to-alls of experts, inside passes</source>
        <translation>专家的 all-to-all（在计算块内）</translation>
    </message>
    <message>
        <source>Found by simulating again, always in this order: without the what-ifs&apos; slow parts,
without barriers and messages,
then with the vocabulary layers&apos; work spread evenly, then with equal stages.
What each saves is its part; what is left is fill and drain.
All-to-alls of experts that no other pass hides lengthen passes: they are beside the bubble.
Below: how much of its time each device waits.</source>
        <translation>通过重新模拟得出，始终按此顺序：去掉假设情形中的慢部件，
去掉屏障和消息，
然后均匀分摊词表层的工作，再使各阶段相等。
每一步节省的就是它的部分；剩下的是填充与排空。
专家的 all-to-all 若无其他计算块掩盖，会延长计算块：它们不属于气泡。
下方：每个设备等待的时间比例。</translation>
    </message>
    <message>
        <source>busiest above the mean</source>
        <translation>最忙者超出均值</translation>
    </message>
    <message>
        <source>router entropy</source>
        <translation>路由器熵</translation>
    </message>
    <message>
        <source>dropped rows</source>
        <translation>丢弃的行</translation>
    </message>
    <message>
        <source>expert rank</source>
        <translation>专家 rank</translation>
    </message>
    <message>
        <source>expert</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>data, ZeRO</source>
        <translation>数据、ZeRO</translation>
    </message>
    <message>
        <source>copy to host</source>
        <translation>拷贝到主机</translation>
    </message>
    <message>
        <source>%1 more ranks</source>
        <translation>另有 %1 个 rank</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source> Averaging weights every %1 steps exposes %2 a step.</source>
        <translation>每 %1 步对权重求平均，每步暴露 %2。</translation>
    </message>
    <message>
        <source>Gradients summed in every step would take no more time.</source>
        <translation>每一步求梯度之和也不会花更多时间。</translation>
    </message>
    <message>
        <source>Gradients summed in every step would expose %1: %2 more time.</source>
        <translation>每一步求梯度之和会暴露 %1：时间多 %2。</translation>
    </message>
    <message>
        <source>No load of experts yet: F5 trains this plan and records its routers.</source>
        <translation>尚无专家负载：按 F5 训练此方案并记录其路由器。</translation>
    </message>
    <message>
        <source>Load of experts</source>
        <translation>专家负载</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>No load of experts yet</source>
        <translation>尚无专家负载</translation>
    </message>
    <message>
        <source>%1: the busiest %2 of step %3 has %4 the mean of its layer</source>
        <translation>%1：第 %3 步中最忙的%2是其所在层均值的 %4</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>steps %1 to %2</source>
        <translation>第 %1 至 %2 步</translation>
    </message>
    <message>
        <source>%1, layer %2, %3 %4: %5 rows, %6 the mean of its layer</source>
        <translation>%1，第 %2 层，%3 %4：%5 行，为其所在层均值的 %6</translation>
    </message>
    <message>
        <source>; entropy %1 % of the greatest</source>
        <translation>；熵为最大值的 %1 %</translation>
    </message>
    <message>
        <source>; %1 rows of the layer dropped</source>
        <translation>；该层丢弃了 %1 行</translation>
    </message>
    <message>
        <source>Experts send for as long as they compute: %1 of the step.</source>
        <translation>专家的发送时间与计算时间一样长：占一步的 %1。</translation>
    </message>
    <message>
        <source>Every layer with experts waits for its all-to-alls: %1 of the step.</source>
        <translation>每个含专家的层都在等待其 all-to-all：占一步的 %1。</translation>
    </message>
    <message>
        <source> The busiest expert rank receives %1 its share of the tokens, and the others wait for it.</source>
        <translation> 最忙的专家 rank 收到其应得词元的 %1，其他 rank 都在等它。</translation>
    </message>
    <message>
        <source> %1 would hide %2 of it behind another microbatch, and make the iteration about %3 as fast.</source>
        <translation>%1 可将其中的 %2 隐藏在另一个微批次之后，并使迭代速度约为现在的 %3。</translation>
    </message>
    <message>
        <source>%1 · full colour: %2x the mean of the layer</source>
        <translation>%1 · 最深色：该层均值的 %2 倍</translation>
    </message>
    <message>
        <source>Copies of a token</source>
        <translation>词元的副本</translation>
    </message>
    <message>
        <source>One for each expert</source>
        <translation>每个专家一份</translation>
    </message>
    <message>
        <source>A rank sends k copies of each token</source>
        <translation>每个词元由 rank 发送 k 份</translation>
    </message>
    <message>
        <source>One for each node</source>
        <translation>每个节点一份</translation>
    </message>
    <message>
        <source>Precision to experts</source>
        <translation>发往专家的精度</translation>
    </message>
    <message>
        <source>That of the model</source>
        <translation>模型的精度</translation>
    </message>
    <message>
        <source>Tokens and results have the same precision</source>
        <translation>词元与结果精度相同</translation>
    </message>
    <message>
        <source>8 bits</source>
        <translation>8 位</translation>
    </message>
    <message>
        <source>Precision of messages</source>
        <translation>消息的精度</translation>
    </message>
    <message>
        <source>Of activations and gradients between stages on different devices: same as the model&apos;s, bf16, fp8 or int8, which changes the training.</source>
        <translation>不同设备上的阶段之间激活和梯度的精度：same 与模型相同，或 bf16、fp8、int8，会改变训练。</translation>
    </message>
    <message>
        <source>The bits that a stage has computed</source>
        <translation>阶段算出的原样数值</translation>
    </message>
    <message>
        <source>Half of the bytes of fp32</source>
        <translation>字节数为 fp32 的一半</translation>
    </message>
    <message>
        <source>fp8</source>
        <translation>fp8</translation>
    </message>
    <message>
        <source>e4m3 forward, e5m2 backward, with a factor for every 128 numbers</source>
        <translation>前向 e4m3，反向 e5m2，每 128 个数一个缩放因子</translation>
    </message>
    <message>
        <source>int8</source>
        <translation>int8</translation>
    </message>
    <message>
        <source>With a factor for every 128 numbers</source>
        <translation>每 128 个数一个缩放因子</translation>
    </message>
    <message>
        <source>Stored activations</source>
        <translation>存储的激活</translation>
    </message>
    <message>
        <source>Precision of what layers keep from forward to backward: same as the model&apos;s, bf16, fp8 or int8. The loss of a step is exact, its gradients are not.</source>
        <translation>各层从前向保留到反向的数值的精度：same 与模型相同，或 bf16、fp8、int8。一步的损失是精确的，梯度则不是。</translation>
    </message>
    <message>
        <source>The bits that a layer has computed</source>
        <translation>层算出的原样数值</translation>
    </message>
    <message>
        <source>e4m3, with a factor for every 128 numbers</source>
        <translation>e4m3，每 128 个数一个缩放因子</translation>
    </message>
    <message>
        <source>, %1 left</source>
        <translation>，剩余 %1</translation>
    </message>
    <message>
        <source>Hide the rows below the lanes</source>
        <translation>隐藏泳道下方的行</translation>
    </message>
    <message>
        <source>Show below each lane what is exchanged and copied</source>
        <translation>在每条泳道下方显示交换和拷贝</translation>
    </message>
    <message>
        <source>Show below each lane also its ranks</source>
        <translation>在每条泳道下方同时显示各 rank</translation>
    </message>
    <message>
        <source>%1 of the %2 of %3</source>
        <translation>%3 的 %2 中的 %1</translation>
    </message>
    <message>
        <source>Device %1, %2</source>
        <translation>设备 %1，%2</translation>
    </message>
    <message>
        <source>Busy for %1, %2 % of the iteration</source>
        <translation>忙碌 %1，占迭代的 %2 %</translation>
    </message>
    <message>
        <source>The same passes at the same times as every rank of the lane</source>
        <translation>与该泳道的每个 rank 在相同时间执行相同的计算块</translation>
    </message>
    <message>
        <source>Bookmark: %1 to %2
Click to see it; M removes it then</source>
        <translation>书签：%1 至 %2
单击查看；之后按 M 删除</translation>
    </message>
    <message>
        <source>M, Shift+M</source>
        <translation>M、Shift+M</translation>
    </message>
    <message>
        <source>bookmark that range or remove its bookmark; go to the next bookmark</source>
        <translation>为该范围添加或删除书签；转到下一个书签</translation>
    </message>
    <message>
        <source>In all ranges: %1.</source>
        <translation>落在所有范围内：%1。</translation>
    </message>
    <message>
        <source>Clear the ranges</source>
        <translation>清除范围</translation>
    </message>
    <message>
        <source>Choose ranges that two to six runs pass</source>
        <translation>请选择有二至六个运行落在其中的范围</translation>
    </message>
    <message>
        <source>Compare the %1 runs</source>
        <translation>比较这 %1 个运行</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Device %1 is pinned to the top
Click, or press P, to let it scroll again</source>
        <translation>设备 %1 已固定在顶部
单击或按 P 可使其重新滚动</translation>
    </message>
    <message>
        <source>Drag along an axis to keep the runs in that range.</source>
        <translation>沿坐标轴拖动，只保留该范围内的运行。</translation>
    </message>
    <message>
        <source>Draws these runs as lines through their figures, to find those that are good in several</source>
        <translation>把这些运行画成穿过各项数值的折线，以便找出多项都好的运行</translation>
    </message>
    <message>
        <source>Pin device %1 to the top (P)
It stays there while the other lanes scroll</source>
        <translation>将设备 %1 固定在顶部（P）
其他泳道滚动时它保持不动</translation>
    </message>
    <message>
        <source>Plot…</source>
        <translation>绘图…</translation>
    </message>
    <message>
        <source>Runs by their figures</source>
        <translation>按数值查看运行</translation>
    </message>
    <message>
        <source>The first %1 of %2 runs of the table.</source>
        <translation>表中 %2 个运行的前 %1 个。</translation>
    </message>
    <message>
        <source>%1 runs.</source>
        <translation>%1 个运行。</translation>
    </message>
    <message>
        <source>These runs differ in nothing that is drawn here.</source>
        <translation>这些运行在此处所画的各项上没有差别。</translation>
    </message>
    <message>
        <source>Two runs and more are drawn here.</source>
        <translation>有两个或更多运行时在此绘制。</translation>
    </message>
    <message>
        <source>pin the lane under the pointer to the top, or let it scroll again</source>
        <translation>将指针下的泳道固定在顶部，或让其重新滚动</translation>
    </message>
    <message>
        <source>search: B 17, stage 3, device 2</source>
        <translation>查找：B 17、stage 3、device 2</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Against %1: </source>
        <translation>与 %1 相比：</translation>
    </message>
    <message>
        <source>Operator %1: %2 of the pass (predicted)</source>
        <translation>算子 %1：占该计算块的 %2（预测）</translation>
    </message>
    <message>
        <source>Logits</source>
        <translation>Logits</translation>
    </message>
    <message>
        <source>Kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>exp(logits) of every token and word are kept until the gradient of the output layer</source>
        <translation>每个词元和每个词的 exp(logits) 保留到输出层求梯度为止</translation>
    </message>
    <message>
        <source>Computed again</source>
        <translation>重新计算</translation>
    </message>
    <message>
        <source>Only the statistics of each token are kept; the gradient takes one more product. The numbers are the same</source>
        <translation>只保留每个词元的统计量；梯度要多做一次乘法。结果数值相同</translation>
    </message>
    <message>
        <source>&amp;Measure this computer</source>
        <translation>测量本机(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Measure this computer again (equal passes differ by %1)</source>
        <translation>重新测量本机(&amp;M)（相同计算块相差 %1）</translation>
    </message>
    <message>
        <source>Measuring this computer…</source>
        <translation>正在测量本机…</translation>
    </message>
    <message>
        <source>This computer could not be measured. </source>
        <translation>无法测量本机。</translation>
    </message>
    <message>
        <source>A run is going on and would disturb the measurement. Stop it first (Shift+F5).</source>
        <translation>正在进行的运行会干扰测量。请先停止它（Shift+F5）。</translation>
    </message>
    <message>
        <source>Times a few passes, about a second: predictions for this computer use them. Best with nothing else running</source>
        <translation>测量几个计算块的时间，约一秒：对本机的预测使用它们。最好没有其他程序运行</translation>
    </message>
    <message>
        <source>Device %1 holds the activations of at most %2</source>
        <translation>设备 %1 最多保存 %2 的激活</translation>
    </message>
    <message>
        <source>%1 microbatch</source>
        <translation>%1 个微批次</translation>
    </message>
    <message>
        <source>Durations of the steps</source>
        <translation>各步用时</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <translation>第 %1 步：%2</translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation>预测 %1</translation>
    </message>
    <message>
        <source>median %1</source>
        <translation>中位数 %1</translation>
    </message>
    <message>
        <source>A dot a step, the first at the top; hollow: warm-up; shaded: the middle half of the others</source>
        <translation>每点一步，第一步在最上；空心：预热；阴影：其余的中间一半</translation>
    </message>
    <message>
        <source>A dot a step, the first at the top; shaded: the middle half</source>
        <translation>每点一步，第一步在最上；阴影：中间一半</translation>
    </message>
    <message>
        <source>runs: %1</source>
        <translation>运行：%1</translation>
    </message>
    <message>
        <source>Costs: %1</source>
        <translation>成本：%1</translation>
    </message>
    <message>
        <source>, typical of %1 steps</source>
        <translation>，%1 步的典型情况</translation>
    </message>
    <message>
        <source>Typical: each pass at its median</source>
        <translation>典型：每个计算块取中位数</translation>
    </message>
    <message>
        <source>%1 with %2</source>
        <translation>%1 配 %2</translation>
    </message>
    <message>
        <source>Bubbles and loss</source>
        <translation>气泡与损失</translation>
    </message>
    <message>
        <source>Where each device waits, and why; loss of the run that is shown</source>
        <translation>每个设备在哪里等待及其原因；所显示运行的损失</translation>
    </message>
    <message>
        <source>same time</source>
        <translation>时间相同</translation>
    </message>
    <message>
        <source>%1 % time</source>
        <translation>时间 %1 %</translation>
    </message>
    <message>
        <source>same memory</source>
        <translation>内存相同</translation>
    </message>
    <message>
        <source>Searching schedules: %1 of %2 plans</source>
        <translation>正在搜索调度：%2 个方案中的 %1 个</translation>
    </message>
    <message>
        <source>, the fastest %1</source>
        <translation>，最快 %1</translation>
    </message>
    <message>
        <source>The plan was edited, so the search for a schedule has ended.</source>
        <translation>方案已被编辑，因此调度搜索已结束。</translation>
    </message>
    <message>
        <source>No schedule was found. </source>
        <translation>没有找到调度。</translation>
    </message>
    <message>
        <source>None of %1 schedules is faster than this plan.</source>
        <translation>%1 个调度中没有一个比此方案更快。</translation>
    </message>
    <message>
        <source>%1, the fastest of %2 schedules: %3 instead of %4.</source>
        <translation>%1，%2 个调度中最快：%3，而非 %4。</translation>
    </message>
    <message>
        <source>Use the fastest schedule</source>
        <translation>使用最快的调度</translation>
    </message>
    <message>
        <source>Find the &amp;fastest schedule</source>
        <translation>查找最快的调度(&amp;F)</translation>
    </message>
    <message>
        <source>Tries every schedule with every vocabulary method, cut and number of chunks, and takes the fastest that fits. Undo takes it back.</source>
        <translation>将每个调度与每种词表方法、层的划分和分块数逐一尝试，采用放得下的最快的一个。撤销可恢复。</translation>
    </message>
    <message>
        <source>finds the fastest schedule that fits</source>
        <translation>查找放得下的最快调度</translation>
    </message>
    <message>
        <source>39B GPT on 512 A100, in 3D</source>
        <translation>512 块 A100 上的 39B GPT，3D</translation>
    </message>
    <message>
        <source>Mixtral 8x7B on 32 H100</source>
        <translation>32 块 H100 上的 Mixtral 8x7B</translation>
    </message>
    <message>
        <source>tensor ranks exchange</source>
        <translation>张量 rank 交换</translation>
    </message>
    <message>
        <source>context ranks exchange</source>
        <translation>上下文 rank 交换</translation>
    </message>
    <message>
        <source>expert ranks exchange</source>
        <translation>专家 rank 交换</translation>
    </message>
    <message>
        <source>replicas exchange</source>
        <translation>副本交换</translation>
    </message>
    <message>
        <source>gradients after the last pass</source>
        <translation>最后一个计算块之后的梯度</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Where the time goes</source>
        <translation>时间去向</translation>
    </message>
    <message>
        <source>%1: %2 %3, %4 of the iteration</source>
        <translation>%1：%2 %3，占迭代的 %4</translation>
    </message>
    <message>
        <source>capacity %1</source>
        <translation>容量 %1</translation>
    </message>
    <message>
        <source>%1, vocabulary %2: %3, on %4</source>
        <translation>%1，词表 %2：%3，%4</translation>
    </message>
    <message>
        <source>1024</source>
        <translation>1024</translation>
    </message>
    <message>
        <source>65536</source>
        <translation>65536</translation>
    </message>
    <message>
        <source>, which emulates %1 on processors: predictions do not count the conversions, so no error is shown.</source>
        <translation>，它在处理器上模拟 %1：预测不计转换，因此不显示误差。</translation>
    </message>
    <message>
        <source>%1 is the nearest value with which the plan is valid.</source>
        <translation>%1 是使方案有效的最接近的值。</translation>
    </message>
    <message>
        <source>Sets %1 to %2. Undo takes it back.</source>
        <translation>将 %1 设为 %2。撤销可恢复。</translation>
    </message>
    <message>
        <source>Reads the order from another file. Undo takes it back.</source>
        <translation>从另一个文件读取顺序。撤销可恢复。</translation>
    </message>
    <message>
        <source>Click a fault to go to its place.</source>
        <translation>点击错误即可跳到其位置。</translation>
    </message>
    <message>
        <source>No plan to draw yet: it appears when the experiment is valid.</source>
        <translation>尚无方案可绘制：实验有效后即显示。</translation>
    </message>
    <message>
        <source>%1 must be %2 to %3, not %4.</source>
        <translation>%1 必须为 %2 到 %3，不能是 %4。</translation>
    </message>
    <message>
        <source>Showing the last valid plan: %1.</source>
        <translation>显示的是最后一个有效方案：%1。</translation>
    </message>
    <message>
        <source>The schedule is invalid. %1</source>
        <translation>调度无效。%1</translation>
    </message>
    <message>
        <source>1 more problem: %1</source>
        <translation>另有 1 个问题：%1</translation>
    </message>
    <message>
        <source>%1 more problems: %2</source>
        <translation>另有 %1 个问题：%2</translation>
    </message>
    <message>
        <source>Schedule and vocabulary layers</source>
        <translation>调度和词表层</translation>
    </message>
    <message>
        <source>Sets schedule and vocabulary layers of this plan. Undo takes it back.</source>
        <translation>设置此方案的调度和词表层。撤销可恢复。</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Errors: %1</source>
        <translation>错误：%1</translation>
    </message>
    <message>
        <source>(picture: %1 microbatches)</source>
        <translation>（图中为 %1 个微批次）</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>播放(&amp;P)</translation>
    </message>
    <message>
        <source>Morph</source>
        <translation>变形</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>&amp;Previous</source>
        <translation>上一步(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>下一步(&amp;N)</translation>
    </message>
    <message>
        <source>This computer&apos;s GPU</source>
        <translation>本机的 GPU</translation>
    </message>
    <message>
        <source>&amp;Compare the runs</source>
        <translation>比较这些运行(&amp;C)</translation>
    </message>
    <message>
        <source>The steps so far remain</source>
        <translation>已完成的步会保留</translation>
    </message>
    <message>
        <source>Opens Compare with these runs, the first as the baseline</source>
        <translation>在“比较”中打开这些运行，以第一个为基准</translation>
    </message>
    <message>
        <source>%1 was not trained. %2</source>
        <translation>%1 未能训练。%2</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>%1 (run %2 of %3): </source>
        <translation>%1（第 %2/%3 个运行）：</translation>
    </message>
    <message>
        <source>%1: mean loss %2</source>
        <translation>%1：平均损失 %2</translation>
    </message>
    <message>
        <source>%1: mean loss %2, at every step that of %3</source>
        <translation>%1：平均损失 %2，每一步都与 %3 相同</translation>
    </message>
    <message>
        <source>%1: mean loss %2, at a step at most %3 from %4</source>
        <translation>%1：平均损失 %2，任一步与 %4 相差至多 %3</translation>
    </message>
    <message>
        <source>&amp;Train again</source>
        <translation>重新训练(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Train %1 runs</source>
        <translation>训练 %1 个运行(&amp;T)</translation>
    </message>
    <message>
        <source>These runs are in the table of runs.</source>
        <translation>这些运行已在运行表中。</translation>
    </message>
    <message>
        <source>%1 steps each, on this computer</source>
        <translation>每个 %1 步，在本机上</translation>
    </message>
    <message>
        <source>These runs turned out otherwise than the text says: %1.</source>
        <translation>这些运行的结果与文中所说不同：%1。</translation>
    </message>
    <message>
        <source>, %1 of a rank at %2/s</source>
        <translation>，每个 rank %1，速率 %2/s</translation>
    </message>
    <message>
        <source>has %1 ranks, but a run has at most %2</source>
        <translation>有 %1 个 rank，但一次运行最多 %2 个</translation>
    </message>
    <message>
        <source>lower the degrees, or simulate the plan without training it</source>
        <translation>请降低并行度，或只模拟该方案而不训练</translation>
    </message>
    <message>
        <source>Operator %1: %2 of the pass (measured, typical of such passes)</source>
        <translation>算子 %1：占该计算块的 %2（实测，同类计算块的典型值）</translation>
    </message>
    <message>
        <source>× steps skipped: %1</source>
        <translation>× 跳过的步数：%1</translation>
    </message>
    <message>
        <source> With %1 it would fit: %2, %3 (predicted).</source>
        <translation> 使用 %1 可以放下：%2，%3（预测）。</translation>
    </message>
    <message>
        <source> %1 would fit: %2, %3 (predicted).</source>
        <translation> 使用 %1 可以放下：%2，%3（预测）。</translation>
    </message>
    <message>
        <source> Nothing tried makes it fit: use more devices or tensor ranks, shorter sequences or fewer layers.</source>
        <translation> 试过的方案都放不下：请增加设备或张量 rank，缩短序列，或减少层数。</translation>
    </message>
    <message>
        <source>%1 microbatches of %2</source>
        <translation>%1 个大小为 %2 的微批次</translation>
    </message>
    <message>
        <source>The devices are evenly loaded; they idle %1 of the time, above all while the pipeline fills and drains.</source>
        <translation>各设备负载均匀；其 %1 的时间空闲，主要在流水线填充和排空时。</translation>
    </message>
    <message>
        <source>The devices are evenly loaded; they idle %1 of the time, above all for messages and barriers.</source>
        <translation>各设备负载均匀；其 %1 的时间空闲，主要在等待消息和屏障。</translation>
    </message>
    <message>
        <source>The devices are evenly loaded; they idle %1 of the time, above all because stages are unequal.</source>
        <translation>各设备负载均匀；其 %1 的时间空闲，主要因为各阶段不等。</translation>
    </message>
    <message>
        <source>The devices are evenly loaded; they idle %1 of the time, above all for the vocabulary layers.</source>
        <translation>各设备负载均匀；其 %1 的时间空闲，主要由词表层造成。</translation>
    </message>
    <message>
        <source>Averaging gradients over %1 replicas adds %2 after the last backward: %3 of the step.</source>
        <translation>在 %1 个副本间求梯度的平均，使最后一次反向之后增加 %2：占一步的 %3。</translation>
    </message>
    <message>
        <source>Averaging gradients over %1 ranks adds %2 after the last backward: %3 of the step.</source>
        <translation>在 %1 个 rank 间求梯度的平均，使最后一次反向之后增加 %2：占一步的 %3。</translation>
    </message>
    <message>
        <source>Peak memory of device %1</source>
        <translation>设备 %1 的峰值内存</translation>
    </message>
    <message>
        <source>Machine busy</source>
        <translation>机器繁忙</translation>
    </message>
    <message>
        <source>baseline measured %1, run %2</source>
        <translation>基准实测 %1，运行 %2</translation>
    </message>
    <message>
        <source>%1, run %2</source>
        <translation>%1，运行 %2</translation>
    </message>
    <message>
        <source>As SVG animation, which browsers play, as GIF, or as frames</source>
        <translation>SVG 动画（浏览器可播放）、GIF 或逐帧图片</translation>
    </message>
    <message>
        <source>As SVG animation, which browsers play, or as frames</source>
        <translation>SVG 动画（浏览器可播放）或逐帧图片</translation>
    </message>
    <message>
        <source>Folder of numbered frames (*.png)</source>
        <translation>编号图片的文件夹 (*.png)</translation>
    </message>
    <message>
        <source>The two plans have %L1 passes; up to %L2 can be exported. Use fewer microbatches or devices.</source>
        <translation>两个方案共有 %L1 个计算块；最多可导出 %L2 个。请减少微批次或设备。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Click sorts the runs; right click chooses columns</source>
        <translation>单击可排序，右键单击可选择列</translation>
    </message>
    <message>
        <source>Wheel, Ctrl+wheel; W S</source>
        <translation>滚轮、Ctrl+滚轮；W S</translation>
    </message>
    <message>
        <source>Ctrl+1 to Ctrl+4</source>
        <translation>Ctrl+1 至 Ctrl+4</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Space</translation>
    </message>
    <message>
        <source>%1, scene %2</source>
        <translation>%1，场景 %2</translation>
    </message>
    <message>
        <source>Copy as text</source>
        <translation>复制为文本</translation>
    </message>
    <message>
        <source>total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>at the peak, %1</source>
        <translation>峰值时刻，%1</translation>
    </message>
    <message>
        <source>at %1</source>
        <translation>%1 时刻</translation>
    </message>
    <message>
        <source>idle of device %1</source>
        <translation>设备 %1 的空闲</translation>
    </message>
    <message>
        <source>Operator %1: %2 of the overlapped pair (predicted)</source>
        <translation>算子 %1：占重叠对的 %2（预测）</translation>
    </message>
    <message>
        <source>Operator %1: %2 of the overlapped pair (measured, typical of such passes)</source>
        <translation>算子 %1：占重叠对的 %2（实测，同类计算块的典型值）</translation>
    </message>
    <message>
        <source>A device has one stage: all its F in a row, then all its B.</source>
        <translation>每个设备有一个阶段：先连续执行所有 F，再执行所有 B。</translation>
    </message>
    <message>
        <source>A device has one stage: F until the first gradient arrives, then B and F in turn.</source>
        <translation>每个设备有一个阶段：第一个梯度到达前执行 F，之后 B 与 F 交替。</translation>
    </message>
    <message>
        <source>A device has one stage: as 1F1B, with about twice as many F before the first B.</source>
        <translation>每个设备有一个阶段：与 1F1B 相同，但第一个 B 之前的 F 约为两倍。</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers; a microbatch passes all devices once for each chunk.</source>
        <translation>每个分块（a、b、…）是设备各层的一部分；微批次为每个分块经过所有设备一次。</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers; all microbatches pass one chunk before the next begins.</source>
        <translation>每个分块（a、b、…）是设备各层的一部分；所有微批次经过一个分块后，下一个分块才开始。</translation>
    </message>
    <message>
        <source>A device has one stage: I sends the gradient on, and W follows later, in the gaps of 1F1B.</source>
        <translation>每个设备有一个阶段：I 传出梯度，W 稍后在 1F1B 的空隙中执行。</translation>
    </message>
    <message>
        <source>A device has one stage: twice as many F come first, I sends the gradient on, and W fills the gaps.</source>
        <translation>每个设备有一个阶段：先执行两倍的 F，I 传出梯度，W 填补空隙。</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers; I sends the gradient on, and W follows later.</source>
        <translation>每个分块（a、b、…）是设备各层的一部分；I 传出梯度，W 稍后执行。</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers; W directly follows its I.</source>
        <translation>每个分块（a、b、…）是设备各层的一部分；W 紧跟在它的 I 之后。</translation>
    </message>
    <message>
        <source>A device has one stage: durations and the memory limit decide where its F, I and W are.</source>
        <translation>每个设备有一个阶段：F、I、W 的位置由时长和内存上限决定。</translation>
    </message>
    <message>
        <source>Each chunk is half of a device&apos;s layers: a on the way down the devices, b on the way back up. No memory beyond 1F1B&apos;s.</source>
        <translation>每个分块是设备各层的一半：a 沿设备向下，b 返回向上。内存不超过 1F1B。</translation>
    </message>
    <message>
        <source>Each chunk is half of a device&apos;s layers: a on the way down the devices, b on the way back up. About half as many are held as in 1F1B.</source>
        <translation>每个分块是设备各层的一半：a 沿设备向下，b 返回向上。保留的数量约为 1F1B 的一半。</translation>
    </message>
    <message>
        <source>Each chunk is half of a device&apos;s layers: a on the way down the devices, b on the way back up. About a third as many are held as in 1F1B.</source>
        <translation>每个分块是设备各层的一半：a 沿设备向下，b 返回向上。保留的数量约为 1F1B 的三分之一。</translation>
    </message>
    <message>
        <source>Each chunk is half of a device&apos;s layers: a on the way down the devices, b on the way back up. The durations decide the order.</source>
        <translation>每个分块是设备各层的一半：a 沿设备向下，b 返回向上。顺序由时长决定。</translation>
    </message>
    <message>
        <source>Each chunk is half of a device&apos;s layers: a on the way down the devices, b on the way back up. B is whole.</source>
        <translation>每个分块是设备各层的一半：a 沿设备向下，b 返回向上。B 不拆分。</translation>
    </message>
    <message>
        <source>A device has one stage: as 1F1B, and between its passes all devices run the vocabulary layers of one microbatch at once.</source>
        <translation>每个设备有一个阶段：与 1F1B 相同，其间所有设备同时执行一个微批次的词表层。</translation>
    </message>
    <message>
        <source>A device has two stages, one of each copy of the model; a box split in two is an F and a B at the same time.</source>
        <translation>每个设备有两个阶段，分属模型的两个副本；分成上下两半的方框是同时执行的 F 和 B。</translation>
    </message>
    <message>
        <source>Each chunk is half of a device&apos;s layers: a on the way down the devices, b on the way back up. A box split in two is an F and a B at the same time.</source>
        <translation>每个分块是设备各层的一半：a 沿设备向下，b 返回向上。分成上下两半的方框是同时执行的 F 和 B。</translation>
    </message>
    <message>
        <source>A device has two stages, one of each copy of the model; half of the microbatches enter at either end.</source>
        <translation>每个设备有两个阶段，分属模型的两个副本；微批次各有一半从两端进入。</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers: a on the way down the devices, b on the way up, and so on in waves.</source>
        <translation>每个分块（a、b、…）是设备各层的一部分：a 沿设备向下，b 向上，如此往复成波。</translation>
    </message>
    <message>
        <source>A device has one stage, and a pass has one slice of a sequence: 3.1 is slice 1 of microbatch 3.</source>
        <translation>每个设备有一个阶段，一个计算块处理序列的一个切片：3.1 是微批次 3 的切片 1。</translation>
    </message>
    <message>
        <source>A device has one stage, and a pass has one slice of a sequence: 3.1 is slice 1 of microbatch 3. W follows later than I.</source>
        <translation>每个设备有一个阶段，一个计算块处理序列的一个切片：3.1 是微批次 3 的切片 1。W 晚于 I。</translation>
    </message>
    <message>
        <source>A device has one stage: as 1F1B, and each B ends with an update of the weights.</source>
        <translation>每个设备有一个阶段：与 1F1B 相同，每个 B 以一次权重更新结束。</translation>
    </message>
    <message>
        <source>A device has one stage: as 1F1B; the weights of a step are one update behind, so two versions are held.</source>
        <translation>每个设备有一个阶段：与 1F1B 相同；一步所用的权重落后一次更新，因此保留两个版本。</translation>
    </message>
    <message>
        <source>The order of each device as you edit it: E lets you drag passes, and the text below the timeline lists them.</source>
        <translation>由您编辑的各设备顺序：按 E 可拖动计算块，时间线下方的文本列出它们。</translation>
    </message>
    <message>
        <source>What next: </source>
        <translation>下一步：</translation>
    </message>
    <message>
        <source>Go to %1 on device %2</source>
        <translation>转到设备 %2 的 %1</translation>
    </message>
    <message>
        <source>Of what is needed here, that pass finished last</source>
        <translation>在此处所需的内容中，该计算块最后完成</translation>
    </message>
    <message>
        <source>Show the critical path</source>
        <translation>显示关键路径</translation>
    </message>
    <message>
        <source>The passes that set the time of the iteration</source>
        <translation>决定迭代时间的计算块</translation>
    </message>
    <message>
        <source> · capacity %1</source>
        <translation> · 容量 %1</translation>
    </message>
    <message>
        <source>Same mathematics</source>
        <translation>数学相同</translation>
    </message>
    <message>
        <source>Other mathematics</source>
        <translation>数学不同</translation>
    </message>
    <message>
        <source>Every number of the training stays the same</source>
        <translation>训练中的每个数都保持不变</translation>
    </message>
    <message>
        <source>The numbers are rounded differently</source>
        <translation>数的舍入方式不同</translation>
    </message>
    <message>
        <source>The model trains differently: compare the loss of two runs</source>
        <translation>模型的训练过程不同：请比较两个运行的损失</translation>
    </message>
    <message>
        <source>layers %1</source>
        <translation>各阶段层数 %1</translation>
    </message>
    <message>
        <source>evenly cut layers</source>
        <translation>均匀划分的层</translation>
    </message>
    <message>
        <source>Sets the layers of each stage of this plan. Undo takes it back.</source>
        <translation>设置此方案每个阶段的层数。撤销可恢复。</translation>
    </message>
    <message>
        <source>PNG picture (*.png)</source>
        <translation>PNG 图片 (*.png)</translation>
    </message>
    <message>
        <source>SVG drawing (*.svg)</source>
        <translation>SVG 图形 (*.svg)</translation>
    </message>
    <message>
        <source>PDF page (*.pdf)</source>
        <translation>PDF 页面 (*.pdf)</translation>
    </message>
    <message>
        <source>CSV table (*.csv)</source>
        <translation>CSV 表格 (*.csv)</translation>
    </message>
    <message>
        <source>JSON document (*.json)</source>
        <translation>JSON 文档 (*.json)</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers and has its turn in every round; the first half of the stages wait on the host.</source>
        <translation>每个分块（a、b、…）是设备各层的一部分，每轮各执行一次；前一半阶段的激活在主机上等待。</translation>
    </message>
    <message>
        <source>Each chunk (a, b, …) is a part of a device&apos;s layers and has its turn in every round; all of them wait on the host.</source>
        <translation>每个分块（a、b、…）是设备各层的一部分，每轮各执行一次；所有激活都在主机上等待。</translation>
    </message>
    <message>
        <source>several chunks a device; half of the stages offload, those that keep longest: about a quarter of 1F1B&apos;s memory</source>
        <translation>每个设备多个分块；保留最久的一半阶段卸载到主机：约为 1F1B 内存的四分之一</translation>
    </message>
    <message>
        <source>several chunks a device, all offloaded: the memory of a few chunks, whatever the number of devices</source>
        <translation>每个设备多个分块，全部卸载到主机：无论多少设备，只占几个分块的内存</translation>
    </message>
    <message>
        <source>Traces (*.json *.csv);;All files (*)</source>
        <translation>轨迹 (*.json *.csv);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Forwards</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Backwards</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Messages of forwards</source>
        <translation>前向的消息</translation>
    </message>
    <message>
        <source>Messages of backwards</source>
        <translation>反向的消息</translation>
    </message>
    <message>
        <source>Gathers of parameters</source>
        <translation>参数收集</translation>
    </message>
    <message>
        <source>Reductions of gradients</source>
        <translation>梯度归约</translation>
    </message>
    <message>
        <source>Garbage collection</source>
        <translation>垃圾回收</translation>
    </message>
    <message>
        <source>Reductions of norm layers</source>
        <translation>归一化层的归约</translation>
    </message>
    <message>
        <source>Reductions of the embedding</source>
        <translation>嵌入的归约</translation>
    </message>
    <message>
        <source>Reductions after the passes</source>
        <translation>计算块之后的归约</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>Messages that end before they begin, by the clocks of their workers: %1.</source>
        <translation>按工作进程的时钟，在开始之前就结束的消息：%1 条。</translation>
    </message>
    <message>
        <source>Stragglers of %1</source>
        <translation>%1 的掉队者</translation>
    </message>
    <message>
        <source>What if a part were fixed</source>
        <translation>如果修复一个部分</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>Step if fixed</source>
        <translation>修复后的步时间</translation>
    </message>
    <message>
        <source>Recovers</source>
        <translation>收回</translation>
    </message>
    <message>
        <source>Slow-down alone</source>
        <translation>单独造成的变慢</translation>
    </message>
    <message>
        <source>The part takes the mean of all, the others what they took</source>
        <translation>该部分用所有部分的平均时间，其他部分保持实测时间</translation>
    </message>
    <message>
        <source>Share of the time that stragglers lose</source>
        <translation>占掉队者所损失时间的比例</translation>
    </message>
    <message>
        <source>The step if only this part took what it took, relative to the even step</source>
        <translation>只有该部分保持实测时间时的步时间，与均匀的步相比</translation>
    </message>
    <message>
        <source>Slowest workers</source>
        <translation>最慢的工作进程</translation>
    </message>
    <message>
        <source>Operations</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Replica %1</source>
        <translation>副本 %1</translation>
    </message>
    <message>
        <source>Device %1 of replica %2</source>
        <translation>副本 %2 的设备 %1</translation>
    </message>
    <message>
        <source>A step takes %1 measured, %2 replayed, and %3 if all parts of a kind take the same time.</source>
        <translation>一步实测用时 %1，重放用时 %2；若同类部分用时都相同则为 %3。</translation>
    </message>
    <message>
        <source>Stragglers make it %1 times as long. Fixing the last device recovers %2 of the lost time, fixing the slowest %3 of %4 workers %5.</source>
        <translation>掉队者使其变为 %1 倍。修复最后一个设备可收回损失时间的 %2，修复 %4 个工作进程中最慢的 %3 个可收回 %5。</translation>
    </message>
    <message>
        <source>Its stragglers lose no time.</source>
        <translation>掉队者没有造成时间损失。</translation>
    </message>
    <message>
        <source>%1 devices hold the others up: </source>
        <translation>%1 个设备拖慢了其他设备：</translation>
    </message>
    <message>
        <source>Devices %1 hold the others up: </source>
        <translation>设备 %1 拖慢了其他设备：</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1、%2</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 和 %2</translation>
    </message>
    <message>
        <source>%1 of their work is %2; </source>
        <translation>它们工作的 %1 是%2；</translation>
    </message>
    <message>
        <source>they have the most work; </source>
        <translation>它们的工作最多；</translation>
    </message>
    <message>
        <source>%1 was not written. %2</source>
        <translation>未写入 %1。%2</translation>
    </message>
    <message>
        <source>The output layer computes its gradient for a part of the tokens at a time, and no logits are kept. The sums over the tokens are rounded differently</source>
        <translation>输出层每次只为一部分词元计算梯度，不保留 logits。对词元的求和舍入方式不同</translation>
    </message>
    <message>
        <source>2 chunks</source>
        <translation>2 块</translation>
    </message>
    <message>
        <source>4 chunks</source>
        <translation>4 块</translation>
    </message>
    <message>
        <source>8 chunks</source>
        <translation>8 块</translation>
    </message>
    <message>
        <source>16 chunks</source>
        <translation>16 块</translation>
    </message>
    <message>
        <source>64 chunks</source>
        <translation>64 块</translation>
    </message>
    <message>
        <source>1 chunk</source>
        <translation>1 块</translation>
    </message>
    <message>
        <source>%1 chunks</source>
        <translation>%1 块</translation>
    </message>
    <message>
        <source>is %1, but a microbatch has %2 tokens on a rank</source>
        <translation>为 %1，但一个微批次在一个 rank 上有 %2 个词元</translation>
    </message>
    <message>
        <source>is %1, but there are 1 to %2 chunks</source>
        <translation>为 %1，但块数为 1 到 %2</translation>
    </message>
    <message>
        <source>is %1, without the number of chunks</source>
        <translation>为 %1，缺少块数</translation>
    </message>
    <message>
        <source>choose %1 or fewer chunks</source>
        <translation>请选择 %1 块或更少</translation>
    </message>
    <message>
        <source>No logits are kept: a whole output layer does all of its work in the backward</source>
        <translation>不保留 logits：完整的输出层把全部计算放在反向中</translation>
    </message>
    <message>
        <source>Iterations</source>
        <translation>迭代</translation>
    </message>
    <message>
        <source>Consecutive steps in the timeline; asynchronous families do not drain between them.</source>
        <translation>时间线中连续的步数；异步调度族在步与步之间不排空流水线。</translation>
    </message>
    <message>
        <source>Iteration %1 of %2</source>
        <translation>第 %1 次迭代，共 %2 次</translation>
    </message>
    <message>
        <source>Weights: version %1</source>
        <translation>权重：版本 %1</translation>
    </message>
    <message>
        <source>a draw of the jitter is of one step</source>
        <translation>一次抖动抽样只针对一步</translation>
    </message>
    <message>
        <source>only one step in several ends with an average, and the steps of a timeline are equal</source>
        <translation>若干步中只有一步以求平均结束，而时间线中的各步是相同的</translation>
    </message>
    <message>
        <source>choose 1, or parallel.sync_every 1</source>
        <translation>请选择 1，或将 parallel.sync_every 设为 1</translation>
    </message>
    <message>
        <source>the gradient of a tied table is the sum of two devices&apos;, which meet at the end of a step only</source>
        <translation>共享表的梯度是两个设备之和，而它们只在一步结束时汇合</translation>
    </message>
    <message>
        <source>the routers of experts are counted and balanced at the end of a step</source>
        <translation>专家的路由器在一步结束时计数并均衡</translation>
    </message>
    <message>
        <source>devices update their weights before the others know their part of the norm</source>
        <translation>设备在其他设备得知各自的范数部分之前就更新权重</translation>
    </message>
    <message>
        <source>devices update their weights before the others know whether a gradient overflows</source>
        <translation>设备在其他设备得知梯度是否溢出之前就更新权重</translation>
    </message>
    <message>
        <source>the stages of a device would be updated at different times</source>
        <translation>同一设备的各阶段会在不同时间更新</translation>
    </message>
    <message>
        <source>choose 1, or untied weights</source>
        <translation>请选择 1，或不共享权重</translation>
    </message>
    <message>
        <source>choose 1, or no clip</source>
        <translation>请选择 1，或不使用裁剪</translation>
    </message>
    <message>
        <source>choose 1, or bf16</source>
        <translation>请选择 1，或 bf16</translation>
    </message>
    <message>
        <source>choose 1, or one stage for each device</source>
        <translation>请选择 1，或每个设备一个阶段</translation>
    </message>
    <message>
        <source>is %1, but %2 steps run without a drain in between</source>
        <translation>为 %1，但有 %2 步连续运行而不排空</translation>
    </message>
    <message>
        <source>is %1, but %2 microbatches on %3 stages allow %4 iterations</source>
        <translation>为 %1，但 %3 个阶段上的 %2 个微批次最多允许 %4 次迭代</translation>
    </message>
    <message>
        <source>lower one of them</source>
        <translation>请减小其中之一</translation>
    </message>
    <message>
        <source>is %1, but the order that is given has %2</source>
        <translation>为 %1，但给定的顺序为 %2</translation>
    </message>
    <message>
        <source>is %1, but the steps of the order that is given differ from each other</source>
        <translation>为 %1，但给定顺序的各步互不相同</translation>
    </message>
    <message>
        <source>give one step, without iterations</source>
        <translation>请只给出一步，不带 iterations</translation>
    </message>
    <message>
        <source>orders of several iterations cannot be edited</source>
        <translation>多次迭代的顺序无法编辑</translation>
    </message>
    <message>
        <source> a step</source>
        <translation>（每步）</translation>
    </message>
    <message>
        <source>%1 of %2 steps</source>
        <translation>%1（%2 步）</translation>
    </message>
    <message>
        <source>
The bubble is that of all steps; between their fill and drain it is %1.</source>
        <translation>
气泡为所有步的值；在填充与排空之间为 %1。</translation>
    </message>
    <message>
        <source>it counts the work of all layers as equal</source>
        <translation>它把所有层的工作量视为相等</translation>
    </message>
    <message>
        <source>choose another method, or give the layers of each stage</source>
        <translation>请选择另一种方法，或给出每个阶段的层数</translation>
    </message>
    <message>
        <source>latent attention has no kernels yet</source>
        <translation>潜在注意力尚无内核</translation>
    </message>
    <message>
        <source>only flash attention on whole sequences and all heads is modelled</source>
        <translation>只对完整序列和全部头的 flash 注意力建模</translation>
    </message>
    <message>
        <source>choose 1 tensor and context rank, and attention flash</source>
        <translation>请选择 1 个张量 rank、1 个上下文 rank 和 flash 注意力</translation>
    </message>
    <message>
        <source>its methods give every replica the whole sum, of which ZeRO-2 and 3 keep a part</source>
        <translation>压缩方法使每个副本得到整个和，而 ZeRO-2 和 ZeRO-3 只保留其中一部分</translation>
    </message>
    <message>
        <source>choose none, or zero 0 or 1</source>
        <translation>请选择 none，或 zero 0 或 1</translation>
    </message>
    <message>
        <source>groups of replicas would need a second residual for the sums of a group</source>
        <translation>副本组需要为组内的和另设一个残差</translation>
    </message>
    <message>
        <source>choose none, or shard over all replicas (shard_replicas 0)</source>
        <translation>请选择 none，或在所有副本间分片（shard_replicas 0）</translation>
    </message>
    <message>
        <source>choose none, or a model without experts</source>
        <translation>请选择 none，或没有专家的模型</translation>
    </message>
    <message>
        <source>what a mixture of experts keeps has routes and rows that a run does not pack yet</source>
        <translation>混合专家所保留的内容含有运行尚不能压缩的路由和行</translation>
    </message>
    <message>
        <source>choose same, or a model without experts</source>
        <translation>请选择 same，或没有专家的模型</translation>
    </message>
    <message>
        <source>choose gis, or leave what_if.jitter out</source>
        <translation>请选择 gis，或不设置 what_if.jitter</translation>
    </message>
    <message>
        <source>tensor ranks do not yet share the keys of slices</source>
        <translation>张量 rank 尚不能共享切片的键</translation>
    </message>
    <message>
        <source>choose 1, or only predict the plan</source>
        <translation>请选择 1，或只做预测</translation>
    </message>
    <message>
        <source>the loss is not finite in step %1 of %2, microbatch %3, on device %4, in pass %5: training diverged</source>
        <translation>第 %1/%2 步、微批次 %3、设备 %4 的计算块 %5 中损失不是有限值：训练已发散</translation>
    </message>
    <message>
        <source>the loss is not finite in step %1 of %2, microbatch %3, on device %4: training diverged</source>
        <translation>第 %1/%2 步、微批次 %3、设备 %4 上损失不是有限值：训练已发散</translation>
    </message>
    <message>
        <source>the loss is not finite, microbatch %1, on device %2: training diverged</source>
        <translation>微批次 %1、设备 %2 上损失不是有限值：训练已发散</translation>
    </message>
    <message>
        <source>lower the learning rate (it is %1) or limit the gradient&apos;s norm with clip</source>
        <translation>请降低学习率（现为 %1），或用 clip 限制梯度的范数</translation>
    </message>
    <message>
        <source>the state before that step is in %1</source>
        <translation>该步之前的状态保存在 %1</translation>
    </message>
    <message>
        <source>gradients overflow fp16 in step %1 although the loss scale is 1: training diverged</source>
        <translation>损失缩放已为 1，第 %1 步的梯度仍溢出 fp16：训练已发散</translation>
    </message>
    <message>
        <source>lower the learning rate, or choose bf16</source>
        <translation>请降低学习率，或选择 bf16</translation>
    </message>
    <message>
        <source>device %1 in step %2 of %3, pass %4 ran out of memory</source>
        <translation>设备 %1 在第 %2/%3 步的计算块 %4 中内存不足</translation>
    </message>
    <message>
        <source>device %1 in step %2 of %3, pass %4 stopped: %5</source>
        <translation>设备 %1 在第 %2/%3 步的计算块 %4 中停止：%5</translation>
    </message>
    <message>
        <source>device %1 ran out of memory</source>
        <translation>设备 %1 内存不足</translation>
    </message>
    <message>
        <source>device %1 stopped: %2</source>
        <translation>设备 %1 停止：%2</translation>
    </message>
    <message>
        <source>lower model.hidden, model.sequence or parallel.microbatch_size</source>
        <translation>请减小 model.hidden、model.sequence 或 parallel.microbatch_size</translation>
    </message>
    <message>
        <source>the machine has no more memory for this run</source>
        <translation>机器没有更多内存可供此运行使用</translation>
    </message>
    <message>
        <source>lower model.layers, model.hidden, model.vocabulary_size or parallel.microbatch_size</source>
        <translation>请减小 model.layers、model.hidden、model.vocabulary_size 或 parallel.microbatch_size</translation>
    </message>
    <message>
        <source>lower model.layers, model.hidden, model.vocabulary_size or parallel.microbatch_size, or choose --recompute full</source>
        <translation>请减小 model.layers、model.hidden、model.vocabulary_size 或 parallel.microbatch_size，或选择 --recompute full</translation>
    </message>
    <message>
        <source>the run needs %1 of memory, most of it on device %2 with %3, but only %4 are free: %5 are missing</source>
        <translation>运行需要 %1 内存，其中最多的设备 %2 需要 %3，但仅剩 %4：缺少 %5</translation>
    </message>
    <message>
        <source>%1 would fit, with %2 in all and %3 on a device</source>
        <translation>%1 可以放下，共 %2，单个设备 %3</translation>
    </message>
    <message>
        <source>the least is %1, with %2</source>
        <translation>最少为 %1，采用 %2</translation>
    </message>
    <message>
        <source>lower parallel.microbatches (with so many, all messages of a step are counted) or the model size</source>
        <translation>请减小 parallel.microbatches（如此之多时会计入一步的所有消息）或模型尺寸</translation>
    </message>
    <message>
        <source>lower parallel.replicas, parallel.microbatches or the model size</source>
        <translation>请减小 parallel.replicas、parallel.microbatches 或模型尺寸</translation>
    </message>
    <message>
        <source>device %1 needs %2, %3 more than the limit of %4</source>
        <translation>设备 %1 需要 %2，比上限 %4 多 %3</translation>
    </message>
    <message>
        <source>a node has %1 for offloaded activations, but they need %2</source>
        <translation>一个节点有 %1 用于卸载的激活，但需要 %2</translation>
    </message>
    <message>
        <source>raise it, or lower --offload (it is %1)</source>
        <translation>请增大它，或减小 --offload（现为 %1）</translation>
    </message>
    <message>
        <source>needs the speed of the link to the host, which these costs do not give</source>
        <translation>需要到主机的链路速度，而这些成本没有给出</translation>
    </message>
    <message>
        <source>give --host-bandwidth, or OFF and ON in --uniform</source>
        <translation>请给出 --host-bandwidth，或在 --uniform 中给出 OFF 和 ON</translation>
    </message>
    <message>
        <source>the ranks on GPU %1 (%2), %3 of them, take %4, CUDA&apos;s code about %5, but only %6 are free</source>
        <translation>GPU %1（%2）上的 %3 个 rank 需要 %4，CUDA 代码约需 %5，但仅剩 %6</translation>
    </message>
    <message>
        <source>the run stopped: %1</source>
        <translation>运行停止：%1</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>end other programs, raise the limit (`ulimit -v`) or use a smaller plan</source>
        <translation>请结束其他程序、提高上限（`ulimit -v`）或使用更小的方案</translation>
    </message>
    <message>
        <source>the system refuses another thread</source>
        <translation>系统拒绝创建更多线程</translation>
    </message>
    <message>
        <source>end other programs or raise the limits (`ulimit -u`, `ulimit -v`)</source>
        <translation>请结束其他程序或提高上限（`ulimit -u`、`ulimit -v`）</translation>
    </message>
    <message>
        <source>matrix products on %1 at once need %2 of address space, which the system refuses</source>
        <translation>同时在 %1 上做矩阵乘需要 %2 的地址空间，而系统拒绝分配</translation>
    </message>
    <message>
        <source>raise the limit (`ulimit -v`), end other programs, or use fewer devices</source>
        <translation>请提高上限（`ulimit -v`）、结束其他程序或减少设备</translation>
    </message>
    <message>
        <source>the devices wait for each other after %1 of %2 passes: device %3 waits at position %4 (%5) for %6</source>
        <translation>执行 %2 个计算块中的 %1 个之后，设备互相等待：设备 %3 在位置 %4（%5）等待 %6</translation>
    </message>
    <message>
        <source>device %1 waits at position %2 (%3) for %4</source>
        <translation>设备 %1 在位置 %2（%3）等待 %4</translation>
    </message>
    <message>
        <source>the output of %1</source>
        <translation>%1 的输出</translation>
    </message>
    <message>
        <source>the gradient of %1</source>
        <translation>%1 的梯度</translation>
    </message>
    <message>
        <source>the last stage&apos;s output of %1</source>
        <translation>%1 的最后一个阶段的输出</translation>
    </message>
    <message>
        <source>the softmax statistics of %1</source>
        <translation>%1 的 softmax 统计</translation>
    </message>
    <message>
        <source>the last stage&apos;s gradient of %1</source>
        <translation>%1 的最后一个阶段的梯度</translation>
    </message>
    <message>
        <source>the embeddings of %1</source>
        <translation>%1 的嵌入</translation>
    </message>
    <message>
        <source>the embeddings&apos; gradient of %1</source>
        <translation>%1 的嵌入梯度</translation>
    </message>
    <message>
        <source>a message that no device sends</source>
        <translation>没有设备会发送的消息</translation>
    </message>
    <message>
        <source>%1 from device %2, which does not have that pass</source>
        <translation>设备 %2 的 %1（该设备没有这个计算块）</translation>
    </message>
    <message>
        <source>%1 from device %2, which has it at position %3</source>
        <translation>设备 %2 的 %1（位于其位置 %3）</translation>
    </message>
    <message>
        <source>and so on</source>
        <translation>等等</translation>
    </message>
    <message>
        <source>validate the schedule</source>
        <translation>请验证调度</translation>
    </message>
    <message>
        <source>the experts of rank %1 of %2 got %3 rows, but have memory for %4</source>
        <translation>rank %1（共 %2 个）的专家得到 %3 行，但内存只够 %4 行</translation>
    </message>
    <message>
        <source>raise expert_headroom, or balance the experts with aux_loss</source>
        <translation>请增大 expert_headroom，或用 aux_loss 平衡专家</translation>
    </message>
    <message>
        <source>cannot start the GPU worker %1: %2</source>
        <translation>无法启动 GPU 工作进程 %1：%2</translation>
    </message>
    <message>
        <source>install stagelens-cli beside the program</source>
        <translation>请将 stagelens-cli 安装在程序旁边</translation>
    </message>
    <message>
        <source>%1 is from another build than this program</source>
        <translation>%1 与本程序不是同一次构建</translation>
    </message>
    <message>
        <source>install both together</source>
        <translation>请一起安装两者</translation>
    </message>
    <message>
        <source>the GPU worker %1</source>
        <translation>GPU 工作进程已结束：%1</translation>
    </message>
    <message>
        <source>the next run starts a new one</source>
        <translation>下一次运行会启动新的</translation>
    </message>
    <message>
        <source>was ended by signal %1 (%2)</source>
        <translation>被信号 %1（%2）终止</translation>
    </message>
    <message>
        <source>ended with status %1</source>
        <translation>以状态 %1 结束</translation>
    </message>
    <message>
        <source>a message between this program and its worker was truncated</source>
        <translation>本程序与其工作进程之间的消息被截断</translation>
    </message>
    <message>
        <source>start the run again</source>
        <translation>请重新开始运行</translation>
    </message>
    <message>
        <source>cuda is not available: %1</source>
        <translation>cuda 不可用：%1</translation>
    </message>
    <message>
        <source>%1 is not available: %2</source>
        <translation>%1 不可用：%2</translation>
    </message>
    <message>
        <source>choose cpu</source>
        <translation>请选择 cpu</translation>
    </message>
    <message>
        <source>a GPU is out of memory</source>
        <translation>GPU 内存不足</translation>
    </message>
    <message>
        <source>end other programs that use it</source>
        <translation>请结束使用它的其他程序</translation>
    </message>
    <message>
        <source>CUDA sees no GPU</source>
        <translation>CUDA 找不到 GPU</translation>
    </message>
    <message>
        <source>CUDA_VISIBLE_DEVICES may hide it</source>
        <translation>可能被 CUDA_VISIBLE_DEVICES 隐藏</translation>
    </message>
    <message>
        <source>GPU %1, %2, cannot train: %3</source>
        <translation>GPU %1（%2）无法训练：%3</translation>
    </message>
    <message>
        <source>no NVIDIA driver is loaded</source>
        <translation>没有加载 NVIDIA 驱动程序</translation>
    </message>
    <message>
        <source>the NVIDIA driver is for CUDA %1, but %2 is needed</source>
        <translation>NVIDIA 驱动程序适用于 CUDA %1，但需要 %2</translation>
    </message>
    <message>
        <source>install a newer driver</source>
        <translation>请安装更新的驱动程序</translation>
    </message>
    <message>
        <source>it is %1, and the kernels need sm_%20 or newer</source>
        <translation>其架构为 %1，而内核需要 sm_%20 或更新</translation>
    </message>
    <message>
        <source>there is no plug-in %1</source>
        <translation>没有插件 %1</translation>
    </message>
    <message>
        <source>the plug-in cannot be loaded: %1</source>
        <translation>无法加载插件：%1</translation>
    </message>
    <message>
        <source>choose one, or --dtype fp32</source>
        <translation>请选择倍数，或 --dtype fp32</translation>
    </message>
    <message>
        <source>is fp16, but each stage is updated before the others know whether its gradients overflow</source>
        <translation>为 fp16，但每个阶段在其他阶段得知其梯度是否溢出之前就被更新</translation>
    </message>
    <message>
        <source>choose bf16, or 1f1b</source>
        <translation>请选择 bf16，或 1f1b</translation>
    </message>
    <message>
        <source>each stage is updated before the gradients of earlier stages are computed, so their norm is unknown</source>
        <translation>每个阶段在之前阶段的梯度算出之前就被更新，因此无从得知范数</translation>
    </message>
    <message>
        <source>remove clip, or choose 1f1b</source>
        <translation>请去掉 clip，或选择 1f1b</translation>
    </message>
    <message>
        <source>the schedule updates weights between the passes of a sharded output layer, which makes its shards inconsistent</source>
        <translation>调度在分片输出层的计算块之间更新权重，使各分片不一致</translation>
    </message>
    <message>
        <source>choose none or redis, or updates end-of-step</source>
        <translation>请选择 none 或 redis，或 updates end-of-step</translation>
    </message>
    <message>
        <source>the two model replicas sum their gradients at the end of the step, but the schedule updates weights at another time</source>
        <translation>模型的两个副本在步末对梯度求和，但调度在其他时间更新权重</translation>
    </message>
    <message>
        <source>use one replica, or updates end-of-step</source>
        <translation>请使用一个副本，或 updates end-of-step</translation>
    </message>
    <message>
        <source>leaves %1 steps after the checkpoint, but %2 run without a drain in between</source>
        <translation>检查点之后剩 %1 步，但有 %2 步连续运行而不排空</translation>
    </message>
    <message>
        <source>choose %1 steps in all</source>
        <translation>请选择总共 %1 步</translation>
    </message>
    <message>
        <source>is %1, but the checkpoint stands after step %2 already</source>
        <translation>为 %1，但检查点已在第 %2 步之后</translation>
    </message>
    <message>
        <source>raise it to train on</source>
        <translation>要继续训练请增大它</translation>
    </message>
    <message>
        <source>its process ended before the run did</source>
        <translation>运行结束之前其进程已结束</translation>
    </message>
    <message>
        <source>a teaching example has no model to train</source>
        <translation>教学示例没有可训练的模型</translation>
    </message>
    <message>
        <source>choose a model</source>
        <translation>请选择模型</translation>
    </message>
    <message>
        <source>%1 has %2, and a run keeps at most %3 of its schedule</source>
        <translation>%1 有 %2，而一次运行最多保留其调度的 %3</translation>
    </message>
    <message>
        <source>lower the number of microbatches</source>
        <translation>请减少微批次</translation>
    </message>
    <message>
        <source>ssh does not connect to %1: %2</source>
        <translation>ssh 无法连接到 %1：%2</translation>
    </message>
    <message>
        <source>ssh does not connect to %1</source>
        <translation>ssh 无法连接到 %1</translation>
    </message>
    <message>
        <source>ssh would ask for a password or for the host&apos;s key, which it cannot do here: run `ssh %1 true` in a terminal until it asks for nothing (ssh-copy-id, ssh-agent)</source>
        <translation>ssh 会询问密码或主机密钥，而此处无法询问：请在终端中运行 `ssh %1 true`，直到它不再询问（ssh-copy-id、ssh-agent）</translation>
    </message>
    <message>
        <source>check that `ssh %1 true` works in a terminal</source>
        <translation>请确认 `ssh %1 true` 在终端中可用</translation>
    </message>
    <message>
        <source>there is no runnable %1 on %2</source>
        <translation>%2 上没有可运行的 %1</translation>
    </message>
    <message>
        <source>install the same build there, name it with --host-program, or add --copy-kit</source>
        <translation>请在那里安装同一构建，用 --host-program 指定它，或加上 --copy-kit</translation>
    </message>
    <message>
        <source>install the same build there, or add --copy-kit</source>
        <translation>请在那里安装同一构建，或加上 --copy-kit</translation>
    </message>
    <message>
        <source>%1 has stagelens-cli of build %2, this program is of build %3</source>
        <translation>%1 上的 stagelens-cli 为构建 %2，本程序为构建 %3</translation>
    </message>
    <message>
        <source>the worker on %1 %2</source>
        <translation>%1 上的工作进程已结束：%2</translation>
    </message>
    <message>
        <source>the connection to %1 was lost after %2 step</source>
        <translation>完成 %2 步后与 %1 的连接中断</translation>
    </message>
    <message>
        <source>the connection to %1 was lost after %2 steps</source>
        <translation>完成 %2 步后与 %1 的连接中断</translation>
    </message>
    <message>
        <source>the connection to %1 was lost after %2 steps: %3</source>
        <translation>完成 %2 步后与 %1 的连接中断：%3</translation>
    </message>
    <message>
        <source>what was measured until then is kept, and the worker there ends by itself</source>
        <translation>此前测得的数据会保留，那里的工作进程会自行结束</translation>
    </message>
    <message>
        <source>give [user@]host</source>
        <translation>请给出 [user@]host</translation>
    </message>
    <message>
        <source>%1 is not of the form [user@]host</source>
        <translation>%1 不是 [user@]host 的形式</translation>
    </message>
    <message>
        <source>give one</source>
        <translation>请给出一个</translation>
    </message>
    <message>
        <source>name a text file, a .bin file or synthetic</source>
        <translation>请指定文本文件、.bin 文件或 synthetic</translation>
    </message>
    <message>
        <source>has %1 tokens but a sequence of %2 needs %3</source>
        <translation>有 %1 个词元，而长度为 %2 的序列需要 %3 个</translation>
    </message>
    <message>
        <source>give more text, shorten the sequence or choose synthetic</source>
        <translation>请提供更多文本、缩短序列或选择 synthetic</translation>
    </message>
    <message>
        <source>%1 does not fit into memory</source>
        <translation>%1 放不进内存</translation>
    </message>
    <message>
        <source>choose a smaller file</source>
        <translation>请选择更小的文件</translation>
    </message>
    <message>
        <source>%1 contains no *.md or *.txt file</source>
        <translation>%1 中没有 *.md 或 *.txt 文件</translation>
    </message>
    <message>
        <source>name a folder with texts or a file</source>
        <translation>请指定含文本的文件夹或文件</translation>
    </message>
    <message>
        <source>is %1 but text needs at least %2 tokens, one for each byte</source>
        <translation>为 %1，但文本至少需要 %2 个词元，每个字节一个</translation>
    </message>
    <message>
        <source>raise it or choose synthetic data</source>
        <translation>请增大它或选择合成数据</translation>
    </message>
    <message>
        <source>has token %1 at position %2 but the vocabulary has %3 tokens</source>
        <translation>位置 %2 处有词元 %1，但词表只有 %3 个词元</translation>
    </message>
    <message>
        <source>raise model.vocabulary_size or choose another file</source>
        <translation>请增大 model.vocabulary_size 或选择另一个文件</translation>
    </message>
    <message>
        <source>cannot be read: %1</source>
        <translation>无法读取：%1</translation>
    </message>
    <message>
        <source>cannot be written: %1</source>
        <translation>无法写入：%1</translation>
    </message>
    <message>
        <source>it does not exist</source>
        <translation>文件不存在</translation>
    </message>
    <message>
        <source>check the name</source>
        <translation>请检查名称</translation>
    </message>
    <message>
        <source>you may not access it</source>
        <translation>没有访问权限</translation>
    </message>
    <message>
        <source>change its permissions or choose another file</source>
        <translation>请更改其权限或选择另一个文件</translation>
    </message>
    <message>
        <source>its folder does not exist</source>
        <translation>其文件夹不存在</translation>
    </message>
    <message>
        <source>create it or choose another place</source>
        <translation>请创建它或选择其他位置</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>your quota of the disk is used up</source>
        <translation>您的磁盘配额已用完</translation>
    </message>
    <message>
        <source>free space or choose another place</source>
        <translation>请释放空间或选择其他位置</translation>
    </message>
    <message>
        <source>files may not become so large here (`ulimit -f`)</source>
        <translation>此处文件不能这么大（`ulimit -f`）</translation>
    </message>
    <message>
        <source>raise that limit or choose another place</source>
        <translation>请提高该上限或选择其他位置</translation>
    </message>
    <message>
        <source>the disk is read-only</source>
        <translation>磁盘为只读</translation>
    </message>
    <message>
        <source>choose another place</source>
        <translation>请选择其他位置</translation>
    </message>
    <message>
        <source>it is a folder</source>
        <translation>它是文件夹</translation>
    </message>
    <message>
        <source>is a folder</source>
        <translation>是文件夹</translation>
    </message>
    <message>
        <source>name a file</source>
        <translation>请指定文件</translation>
    </message>
    <message>
        <source>is not a regular file</source>
        <translation>不是普通文件</translation>
    </message>
    <message>
        <source>is %1 long and at most %2 is accepted</source>
        <translation>长度为 %1，最多接受 %2</translation>
    </message>
    <message>
        <source>is a database, which is not replaced</source>
        <translation>是数据库，不会被替换</translation>
    </message>
    <message>
        <source>choose another file</source>
        <translation>请选择另一个文件</translation>
    </message>
    <message>
        <source>belongs to the run database %1</source>
        <translation>属于运行数据库 %1</translation>
    </message>
    <message>
        <source>is not a database of Stagelens</source>
        <translation>不是 Stagelens 的数据库</translation>
    </message>
    <message>
        <source>is being used by another process</source>
        <translation>正被另一个进程使用</translation>
    </message>
    <message>
        <source>wait for it, close that program or choose another database</source>
        <translation>请等待、关闭该程序或选择另一个数据库</translation>
    </message>
    <message>
        <source>is read-only, its folder is, or the disk is full</source>
        <translation>文件或其文件夹为只读，或磁盘已满</translation>
    </message>
    <message>
        <source>change the permissions, free space or choose another database</source>
        <translation>请更改权限、释放空间或选择另一个数据库</translation>
    </message>
    <message>
        <source>cannot be opened</source>
        <translation>无法打开</translation>
    </message>
    <message>
        <source>cannot be opened (%1)</source>
        <translation>无法打开（%1）</translation>
    </message>
    <message>
        <source>its folder must exist and be writable, else choose another database</source>
        <translation>其文件夹必须存在且可写，否则请选择另一个数据库</translation>
    </message>
    <message>
        <source>cannot grow because the disk is full</source>
        <translation>磁盘已满，无法增大</translation>
    </message>
    <message>
        <source>free space or choose another database</source>
        <translation>请释放空间或选择另一个数据库</translation>
    </message>
    <message>
        <source>is damaged</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>copy it away, then put a backup (*.bak-v*) in its place or save what can be read with `sqlite3 FILE .recover`</source>
        <translation>请先复制到别处，再用备份（*.bak-v*）替换，或用 `sqlite3 FILE .recover` 保存可读的内容</translation>
    </message>
    <message>
        <source>cannot be read or written</source>
        <translation>无法读写</translation>
    </message>
    <message>
        <source>cannot be read or written (%1)</source>
        <translation>无法读写（%1）</translation>
    </message>
    <message>
        <source>check the disk and its free space</source>
        <translation>请检查磁盘及其剩余空间</translation>
    </message>
    <message>
        <source>has schema version %1, made by a newer Stagelens</source>
        <translation>架构版本为 %1，由更新的 Stagelens 创建</translation>
    </message>
    <message>
        <source>this one knows versions up to %1</source>
        <translation>本程序只认识到版本 %1</translation>
    </message>
    <message>
        <source>update Stagelens or choose another database</source>
        <translation>请更新 Stagelens 或选择另一个数据库</translation>
    </message>
    <message>
        <source>is still being written by run %1</source>
        <translation>运行 %1 仍在写入</translation>
    </message>
    <message>
        <source>stop that run first</source>
        <translation>请先停止该运行</translation>
    </message>
    <message>
        <source>run %1 has no finished step, so there is nothing to export</source>
        <translation>运行 %1 没有完成的步，因此没有可导出的内容</translation>
    </message>
    <message>
        <source>is not JSON at line %1, column %2</source>
        <translation>第 %1 行第 %2 列不是 JSON</translation>
    </message>
    <message>
        <source>mend it there</source>
        <translation>请在该处修正</translation>
    </message>
    <message>
        <source>it should hold a JSON document</source>
        <translation>应包含一个 JSON 文档</translation>
    </message>
    <message>
        <source>gives the member `%1` twice in one object</source>
        <translation>在一个对象中两次给出成员 `%1`</translation>
    </message>
    <message>
        <source>remove one</source>
        <translation>请删除一个</translation>
    </message>
    <message>
        <source>is `%1`, and this program reads `%2` and `%3` only</source>
        <translation>为 `%1`，而本程序只读取 `%2` 和 `%3`</translation>
    </message>
    <message>
        <source>is `%1`, and this program reads `%2` only</source>
        <translation>为 `%1`，而本程序只读取 `%2`</translation>
    </message>
    <message>
        <source>open it with the program that wrote it, or correct the word</source>
        <translation>请用写出它的程序打开，或更正该词</translation>
    </message>
    <message>
        <source>names more than one source of costs</source>
        <translation>指定了不止一个成本来源</translation>
    </message>
    <message>
        <source>keep one of hardware, uniform and durations</source>
        <translation>请只保留 hardware、uniform、durations 之一</translation>
    </message>
    <message>
        <source>has no event named as a pass of a pipeline (PP:0F0)</source>
        <translation>没有以流水线计算块命名的事件（PP:0F0）</translation>
    </message>
    <message>
        <source>record with PyTorch&apos;s pipeline runtime, whose actions bear such names</source>
        <translation>请用 PyTorch 的流水线运行时记录，其动作带有这样的名称</translation>
    </message>
    <message>
        <source>no trace has passes of stage %1 of %2</source>
        <translation>没有轨迹含有阶段 %1（共 %2 个）的计算块</translation>
    </message>
    <message>
        <source>give the traces of all ranks together</source>
        <translation>请一并给出所有 rank 的轨迹</translation>
    </message>
    <message>
        <source>no step is whole: of %1 passes some are missing in each</source>
        <translation>没有完整的步：每一步都缺少 %1 个计算块中的一些</translation>
    </message>
    <message>
        <source>record at least one whole step</source>
        <translation>请至少记录一个完整的步</translation>
    </message>
    <message>
        <source>line %1</source>
        <translation>第 %1 行</translation>
    </message>
    <message>
        <source>word %1</source>
        <translation>第 %1 个词</translation>
    </message>
    <message>
        <source>line %1, column %2</source>
        <translation>第 %1 行第 %2 列</translation>
    </message>
    <message>
        <source>device %1, position %2</source>
        <translation>设备 %1，位置 %2</translation>
    </message>
    <message>
        <source>the plan needs %1 passes but the schedule has only %2</source>
        <translation>方案需要 %1 个计算块，而调度只有 %2 个</translation>
    </message>
    <message>
        <source>lower the number of microbatches or add the passes</source>
        <translation>请减少微批次或补上计算块</translation>
    </message>
    <message>
        <source>%1 is no pass of a plan with %2 stages, %3 microbatches and this vocabulary method</source>
        <translation>%1 不是具有 %2 个阶段、%3 个微批次和此词表方法的方案的计算块</translation>
    </message>
    <message>
        <source>give it the stage of its device&apos;s first chunk</source>
        <translation>请给它其设备第一个分块的阶段</translation>
    </message>
    <message>
        <source>%1 makes the weight gradients again that %2 has made</source>
        <translation>%1 重复计算 %2 已算出的权重梯度</translation>
    </message>
    <message>
        <source>remove it, or write I in place of that B</source>
        <translation>请删除它，或把那个 B 写成 I</translation>
    </message>
    <message>
        <source>%1 runs after microbatch %2</source>
        <translation>%1 在微批次 %2 之后运行</translation>
    </message>
    <message>
        <source>a shard&apos;s gradients must be added in microbatch order</source>
        <translation>一个分片的梯度必须按微批次的顺序相加</translation>
    </message>
    <message>
        <source>weights that change between microbatches must do so in microbatch order</source>
        <translation>在微批次之间变化的权重必须按微批次的顺序变化</translation>
    </message>
    <message>
        <source>%1 puts %2 activations in flight, but there is room for %3</source>
        <translation>%1 使在途的激活达到 %2 份，但只有 %3 份的空间</translation>
    </message>
    <message>
        <source>raise memory_limit, or split the model over more devices</source>
        <translation>请提高 memory_limit，或把模型拆分到更多设备</translation>
    </message>
    <message>
        <source>%1 microbatches a step are fewer than the %2 stages: two versions of the weights are not enough</source>
        <translation>每步 %1 个微批次少于 %2 个阶段：两个版本的权重不够</translation>
    </message>
    <message>
        <source>give %1 or more microbatches</source>
        <translation>请给出 %1 个或更多微批次</translation>
    </message>
    <message>
        <source>run the backward of microbatch %1 before it</source>
        <translation>请在它之前运行微批次 %1 的反向</translation>
    </message>
    <message>
        <source>device %1 waits at %2 (%3) for %4, which device %5 has at %6</source>
        <translation>设备 %1 在%2（%3）等待 %4，后者在设备 %5 的%6</translation>
    </message>
    <message>
        <source>device %1 waits at %2 (%3) for %4, which device %5 has at %6 behind %7</source>
        <translation>设备 %1 在%2（%3）等待 %4，后者在设备 %5 的%6，位于 %7 之后</translation>
    </message>
    <message>
        <source>no schedule family is called &apos;%1&apos;</source>
        <translation>没有名为“%1”的调度族</translation>
    </message>
    <message>
        <source>%1 needs an even number of devices, not %2</source>
        <translation>%1 需要偶数个设备，而不是 %2 个</translation>
    </message>
    <message>
        <source>give %1 or choose 1f1b</source>
        <translation>请设为 %1，或选择 1f1b</translation>
    </message>
    <message>
        <source>give %1 or choose dualpipe-v</source>
        <translation>请设为 %1，或选择 dualpipe-v</translation>
    </message>
    <message>
        <source>%1 brings its own method, and %2 is given</source>
        <translation>%1 自带方法，而给出了 %2</translation>
    </message>
    <message>
        <source>leave vocabulary out, or choose the schedule 1f1b</source>
        <translation>请不设置词表方法，或选择调度 1f1b</translation>
    </message>
    <message>
        <source>%1 changes its weights between the passes of a sharded output layer, whose shards would disagree</source>
        <translation>%1 在分片输出层的计算块之间改变权重，各分片会不一致</translation>
    </message>
    <message>
        <source>choose none or redis, or 1f1b</source>
        <translation>请选择 none 或 redis，或 1f1b</translation>
    </message>
    <message>
        <source>%1 stages are more than %2</source>
        <translation>%1 个阶段超过 %2 个</translation>
    </message>
    <message>
        <source>give fewer chunks</source>
        <translation>请减少分块</translation>
    </message>
    <message>
        <source>%1 stages with %2 microbatches make more than %3 passes, which is the limit</source>
        <translation>%1 个阶段和 %2 个微批次超过 %3 个计算块的上限</translation>
    </message>
    <message>
        <source>give fewer of either</source>
        <translation>请减少其中之一</translation>
    </message>
    <message>
        <source>%1 needs a microbatch for each of the %2 devices, or its weights would be more than one step stale</source>
        <translation>%1 需要为 %2 个设备各备一个微批次，否则权重会落后一步以上</translation>
    </message>
    <message>
        <source>device %1 has room for the activations of %2 microbatches and needs %3</source>
        <translation>设备 %1 只能容纳 %2 个微批次的激活，而需要 %3 个</translation>
    </message>
    <message>
        <source>raise memory_limit</source>
        <translation>请提高 memory_limit</translation>
    </message>
    <message>
        <source>a limit in bytes needs a model</source>
        <translation>以字节给出的上限需要模型</translation>
    </message>
    <message>
        <source>give one or leave memory_limit out</source>
        <translation>请给出模型，或不设置 memory_limit</translation>
    </message>
    <message>
        <source>an iteration would take more than 11 days</source>
        <translation>一次迭代将超过 11 天</translation>
    </message>
    <message>
        <source>lower the durations or the microbatches</source>
        <translation>请减小时长或减少微批次</translation>
    </message>
    <message>
        <source>no plan fits</source>
        <translation>没有放得下的方案</translation>
    </message>
    <message>
        <source>no family has so many stages a device</source>
        <translation>没有调度族在每个设备上有这么多阶段</translation>
    </message>
    <message>
        <source>leave chunks out</source>
        <translation>请不设置分块数</translation>
    </message>
    <message>
        <source>the least found is %1 bytes a device (%2)</source>
        <translation>找到的最少为每个设备 %1 字节（%2）</translation>
    </message>
    <message>
        <source>raise memory_limit to that, recompute activations, or give more devices</source>
        <translation>请将 memory_limit 提高到该值、重计算激活，或增加设备</translation>
    </message>
    <message>
        <source>%1 GPUs hold no plan of this model within %2 a rank, of %3 divisions</source>
        <translation>%1 块 GPU 的 %3 种划分中，没有此模型的方案能放进每个 rank 的 %2</translation>
    </message>
    <message>
        <source>give more GPUs, a shorter sequence or a smaller model</source>
        <translation>请增加 GPU、缩短序列或减小模型</translation>
    </message>
    <message>
        <source>overlapped pairs stay together</source>
        <translation>重叠对保持在一起</translation>
    </message>
    <message>
        <source>mend the marked passes</source>
        <translation>请修正标出的计算块</translation>
    </message>
    <message>
        <source>whole and split backwards are mixed</source>
        <translation>完整的反向与拆分的反向混在一起</translation>
    </message>
    <message>
        <source>write B, or I and W, for all microbatches</source>
        <translation>请对所有微批次写 B，或写 I 和 W</translation>
    </message>
    <message>
        <source>orders of slices of sequences cannot be edited</source>
        <translation>序列切片的顺序无法编辑</translation>
    </message>
    <message>
        <source>choose 1f1b</source>
        <translation>请选择 1f1b</translation>
    </message>
    <message>
        <source>this machine is too busy to be measured: other programs took %1 of the processor</source>
        <translation>本机太忙，无法测量：其他程序占用了处理器的 %1</translation>
    </message>
    <message>
        <source>end other programs and measure again. The preset %1 is as it was</source>
        <translation>请结束其他程序后重新测量。预设 %1 保持不变</translation>
    </message>
    <message>
        <source>the passes&apos; times differ by %1 from step to step, more than %2</source>
        <translation>各步之间计算块的时间相差 %1，超过 %2</translation>
    </message>
    <message>
        <source>`%1` is not a whole number</source>
        <translation>`%1` 不是整数</translation>
    </message>
    <message>
        <source>write it as 32000, 32k or 32Ki</source>
        <translation>请写成 32000、32k 或 32Ki</translation>
    </message>
    <message>
        <source>`%1` is not a number</source>
        <translation>`%1` 不是数</translation>
    </message>
    <message>
        <source>`%1` is not a number of bytes</source>
        <translation>`%1` 不是字节数</translation>
    </message>
    <message>
        <source>write it as 85899345920 or 80GiB</source>
        <translation>请写成 85899345920 或 80GiB</translation>
    </message>
    <message>
        <source>`%1` is not a pass and its milliseconds</source>
        <translation>`%1` 不是计算块及其毫秒数</translation>
    </message>
    <message>
        <source>write F=1,B=2</source>
        <translation>请写成 F=1,B=2</translation>
    </message>
    <message>
        <source>%1 stands twice</source>
        <translation>%1 出现了两次</translation>
    </message>
    <message>
        <source>%1 is beyond %2</source>
        <translation>%1 超过 %2</translation>
    </message>
    <message>
        <source>choose a smaller size</source>
        <translation>请选择更小的尺寸</translation>
    </message>
    <message>
        <source>write the layers of each stage as 4/4/4/4</source>
        <translation>请将每个阶段的层数写成 4/4/4/4</translation>
    </message>
    <message>
        <source>the text is empty</source>
        <translation>文本为空</translation>
    </message>
    <message>
        <source>it must begin with &apos;schedule FAMILY devices P ...&apos;</source>
        <translation>必须以 &apos;schedule FAMILY devices P ...&apos; 开头</translation>
    </message>
    <message>
        <source>the text ends after %1 of %2 devices</source>
        <translation>文本在 %2 个设备中的 %1 个之后结束</translation>
    </message>
    <message>
        <source>give one line a device</source>
        <translation>请为每个设备写一行</translation>
    </message>
    <message>
        <source>the header must begin with &apos;schedule&apos;, not %1</source>
        <translation>表头必须以 &apos;schedule&apos; 开头，不能是 %1</translation>
    </message>
    <message>
        <source>the header must name the family in 1 to 64 characters, such as &apos;schedule custom&apos;</source>
        <translation>表头必须以 1 到 64 个字符给出调度族，例如 &apos;schedule custom&apos;</translation>
    </message>
    <message>
        <source>%1 must be followed by %2, not %3</source>
        <translation>%1 之后必须是 %2，不能是 %3</translation>
    </message>
    <message>
        <source>a number from 1 to %1</source>
        <translation>1 到 %1 的数</translation>
    </message>
    <message>
        <source>the device of each stage, such as 0,1,1,0</source>
        <translation>每个阶段的设备，例如 0,1,1,0</translation>
    </message>
    <message>
        <source>the replica of each microbatch, such as 0101</source>
        <translation>每个微批次的副本，例如 0101</translation>
    </message>
    <message>
        <source>%1 is unknown</source>
        <translation>%1 未知</translation>
    </message>
    <message>
        <source>there are devices, microbatches, vocabulary, slices, iterations, placement, microbatch-replicas and updates</source>
        <translation>可用的有 devices、microbatches、vocabulary、slices、iterations、placement、microbatch-replicas 和 updates</translation>
    </message>
    <message>
        <source>the placement puts stage %1 on device %2 of %3</source>
        <translation>布局把阶段 %1 放在设备 %2 上，而设备共 %3 个</translation>
    </message>
    <message>
        <source>the placement gives device %1 no stage</source>
        <translation>布局没有给设备 %1 任何阶段</translation>
    </message>
    <message>
        <source>the header must give devices, microbatches and vocabulary</source>
        <translation>表头必须给出 devices、microbatches 和 vocabulary</translation>
    </message>
    <message>
        <source>%1 microbatches are no multiple of %2 iterations</source>
        <translation>%1 个微批次不是 %2 次迭代的倍数</translation>
    </message>
    <message>
        <source>%1 microbatches are no multiple of %2 slices, which they count</source>
        <translation>%1 个微批次（含切片计数）不是 %2 个切片的倍数</translation>
    </message>
    <message>
        <source>a device&apos;s line must begin with its number and a colon, such as &apos;0:&apos;</source>
        <translation>设备的行必须以其编号和冒号开头，例如 &apos;0:&apos;</translation>
    </message>
    <message>
        <source>device %1 stands where %2</source>
        <translation>设备 %1 所在之处：%2</translation>
    </message>
    <message>
        <source>device %1 is expected</source>
        <translation>应为设备 %1</translation>
    </message>
    <message>
        <source>the text should end</source>
        <translation>文本应结束</translation>
    </message>
    <message>
        <source>%1 is no pass</source>
        <translation>%1 不是计算块</translation>
    </message>
    <message>
        <source>write a kind (F B I W S T U EF EB) and a microbatch, such as F0</source>
        <translation>请写类型（F B I W S T U EF EB）和微批次，例如 F0</translation>
    </message>
    <message>
        <source>%1 has no microbatch from 0 to %2</source>
        <translation>%1 没有 0 到 %2 的微批次</translation>
    </message>
    <message>
        <source>%1 has no stage from 0 to %2</source>
        <translation>%1 没有 0 到 %2 的阶段</translation>
    </message>
    <message>
        <source>%1 ends with %2, which means nothing here</source>
        <translation>%1 末尾的 %2 在此没有意义</translation>
    </message>
    <message>
        <source>%1 is one pass too many</source>
        <translation>%1 超出了计算块的上限</translation>
    </message>
    <message>
        <source>the limit is %1</source>
        <translation>上限为 %1</translation>
    </message>
    <message>
        <source>%1 has slices of sequences, which no custom schedule can have</source>
        <translation>%1 含有序列切片，而自定义调度不能有</translation>
    </message>
    <message>
        <source>choose the family seq1f1b</source>
        <translation>请选择调度族 seq1f1b</translation>
    </message>
    <message>
        <source>%1 stages do not divide over %2 devices</source>
        <translation>%1 个阶段不能均分到 %2 个设备</translation>
    </message>
    <message>
        <source>give each device as many stages</source>
        <translation>请给每个设备同样多的阶段</translation>
    </message>
    <message>
        <source>is %1, but %2 has %3</source>
        <translation>为 %1，但 %2 为 %3</translation>
    </message>
    <message>
        <source>give %1 or leave it out</source>
        <translation>请设为 %1，或不设置</translation>
    </message>
    <message>
        <source>is %1, but %2 has the passes of %3</source>
        <translation>为 %1，但 %2 含有 %3 的计算块</translation>
    </message>
    <message>
        <source>leave it out</source>
        <translation>请不设置它</translation>
    </message>
    <message>
        <source>device %1 needs %2 microbatches in flight but the limit has room for %3</source>
        <translation>设备 %1 需要 %2 个在途微批次，但上限只容得下 %3 个</translation>
    </message>
    <message>
        <source>device %1 needs %2 chunks of microbatches in flight but the limit has room for %3</source>
        <translation>设备 %1 需要 %2 个在途的微批次分块，但上限只容得下 %3 个</translation>
    </message>
    <message>
        <source>must be %1, not %2</source>
        <translation>必须为 %1，不能是 %2</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>a whole number of 0 or more</source>
        <translation>0 或更大的整数</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数</translation>
    </message>
    <message>
        <source>a list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>holds %1</source>
        <translation>其内容为%1</translation>
    </message>
    <message>
        <source>a JSON object { ... } is expected</source>
        <translation>应为 JSON 对象 { ... }</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>did you mean %1?</source>
        <translation>是否指 %1？</translation>
    </message>
    <message>
        <source>is unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>name the cluster, such as &quot;my-cluster&quot;</source>
        <translation>请给集群命名，例如 &quot;my-cluster&quot;</translation>
    </message>
    <message>
        <source>write one line of UTF-8 text without control characters</source>
        <translation>请写一行不含控制字符的 UTF-8 文本</translation>
    </message>
    <message>
        <source>is %1 bytes long</source>
        <translation>长度为 %1 字节</translation>
    </message>
    <message>
        <source>shorten it to %1</source>
        <translation>请缩短到 %1</translation>
    </message>
    <message>
        <source>is %1, and a device has %2</source>
        <translation>为 %1，而一个设备有 %2</translation>
    </message>
    <message>
        <source>choose less, such as %1</source>
        <translation>请选择更小的值，例如 %1</translation>
    </message>
    <message>
        <source>%1 is not a JSON object</source>
        <translation>%1 不是 JSON 对象</translation>
    </message>
    <message>
        <source>give a Hugging Face config.json</source>
        <translation>请给出 Hugging Face 的 config.json</translation>
    </message>
    <message>
        <source>model_type of %1 is `%2`</source>
        <translation>%1 的 model_type 为 `%2`</translation>
    </message>
    <message>
        <source>this program reads gpt2, llama, mixtral, qwen3_moe and deepseek_v3</source>
        <translation>本程序读取 gpt2、llama、mixtral、qwen3_moe 和 deepseek_v3</translation>
    </message>
    <message>
        <source>is missing, and levers count its bytes</source>
        <translation>缺失，而杠杆要计算其字节数</translation>
    </message>
    <message>
        <source>name a model or its layers</source>
        <translation>请指定模型或其层</translation>
    </message>
    <message>
        <source>it must be a whole number from 1 to %1</source>
        <translation>必须是 1 到 %1 的整数</translation>
    </message>
    <message>
        <source>it must be a number above 0</source>
        <translation>必须是大于 0 的数</translation>
    </message>
    <message>
        <source>add it</source>
        <translation>请补上</translation>
    </message>
    <message>
        <source>tensor ranks on more than one node</source>
        <translation>跨多个节点的张量 rank</translation>
    </message>
    <message>
        <source>tensor ranks that do not divide the heads, the inner width or the hidden width</source>
        <translation>不能整除头数、内部宽度或隐藏宽度的张量 rank</translation>
    </message>
    <message>
        <source>context ranks of fewer than %1 tokens</source>
        <translation>少于 %1 个词元的上下文 rank</translation>
    </message>
    <message>
        <source>context ranks that do not cut the sequence into equal chunks</source>
        <translation>不能把序列切成等长块的上下文 rank</translation>
    </message>
    <message>
        <source>more devices than the %1 layers of the model</source>
        <translation>设备多于模型的 %1 层</translation>
    </message>
    <message>
        <source>replicas that do not divide the global batch</source>
        <translation>不能整除全局批次的副本数</translation>
    </message>
    <message>
        <source>microbatches that do not divide the sequences of a replica</source>
        <translation>不能均分一个副本的序列的微批次</translation>
    </message>
    <message>
        <source>more than %1 microbatches a replica</source>
        <translation>每个副本超过 %1 个微批次</translation>
    </message>
    <message>
        <source>parameters and one microbatch that do not fit</source>
        <translation>放不下的参数加一个微批次</translation>
    </message>
    <message>
        <source>combinations that a schedule refuses</source>
        <translation>调度所拒绝的组合</translation>
    </message>
    <message>
        <source>too many passes for a search</source>
        <translation>计算块过多，无法搜索</translation>
    </message>
    <message>
        <source>activations in flight that do not fit</source>
        <translation>放不下的在途激活</translation>
    </message>
    <message>
        <source>one has times and the other teaching units</source>
        <translation>一个以时间计，另一个以教学单位计</translation>
    </message>
    <message>
        <source>they train different models</source>
        <translation>训练的模型不同</translation>
    </message>
    <message>
        <source>they train different numbers of tokens a step</source>
        <translation>每步训练的词元数不同</translation>
    </message>
    <message>
        <source>their sequences have other lengths</source>
        <translation>序列长度不同</translation>
    </message>
    <message>
        <source>F and B of a microbatch take %1 and %2 units on all devices together</source>
        <translation>一个微批次的 F 和 B 在所有设备上合计用时 %1 和 %2 个单位</translation>
    </message>
    <message>
        <source>one has vocabulary layers and the other has not</source>
        <translation>一个有词表层，另一个没有</translation>
    </message>
    <message>
        <source>this machine&apos;s processor, fp32, or bf16 and fp16 emulated, one thread a device</source>
        <translation>本机的处理器，fp32，或模拟的 bf16 和 fp16，每个设备一个线程</translation>
    </message>
    <message>
        <source>is %1, wider than the layers, whose width is %2</source>
        <translation>为 %1，宽于宽度为 %2 的各层</translation>
    </message>
    <message>
        <source>choose at most %1, or full</source>
        <translation>请选择不超过 %1，或 full</translation>
    </message>
    <message>
        <source>is %1, without the width of the tables</source>
        <translation>为 %1，缺少表的宽度</translation>
    </message>
    <message>
        <source>Vocabulary width</source>
        <translation>词表宽度</translation>
    </message>
    <message>
        <source>Columns of a factorised vocabulary: tables V x E, and maps E x h to the layers and from them, which is another model (default: tables V x h).</source>
        <translation>分解词表的列数：表为 V x E，与各层之间有 E x h 的矩阵，因此是另一个模型（默认：V x h 的表）。</translation>
    </message>
    <message>
        <source>full</source>
        <translation>完整</translation>
    </message>
    <message>
        <source>Other model</source>
        <translation>另一个模型</translation>
    </message>
    <message>
        <source>Another model: its quality must be measured, and what it saves is not free</source>
        <translation>另一个模型：其质量必须测量，节省并非没有代价</translation>
    </message>
    <message>
        <source>Slow device %1</source>
        <translation>慢设备 %1</translation>
    </message>
    <message>
        <source>the schedule as text; drag passes along their lane, or an end to slow its device</source>
        <translation>以文本显示调度；计算块可沿泳道拖动，拖动末端使设备变慢</translation>
    </message>
    <message>
        <source>Peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>Bound</source>
        <translation>下界</translation>
    </message>
    <message>
        <source>%1 → %2</source>
        <translation>%1 → %2</translation>
    </message>
    <message>
        <source>Editing: drag a pass to move it, its end to slow its device; Ctrl+Shift+E ends</source>
        <translation>正在编辑：拖动计算块即可移动，拖动其末端使设备变慢；按 Ctrl+Shift+E 结束</translation>
    </message>
    <message>
        <source>The devices idle %1 of the time, above all while the pipeline fills and drains.</source>
        <translation>各设备有 %1 的时间空闲，主要在流水线填充和排空时。</translation>
    </message>
    <message>
        <source>The devices idle %1 of the time, above all for messages and barriers.</source>
        <translation>各设备有 %1 的时间空闲，主要在等待消息和屏障。</translation>
    </message>
    <message>
        <source>The devices are evenly loaded; they idle %1 of the time, above all for the what-ifs&apos; slow parts.</source>
        <translation>各设备负载均匀；其 %1 的时间空闲，主要由假设情形中的慢部件造成。</translation>
    </message>
    <message>
        <source>One microbatch is too few for %1 devices, which idle %2 of the time, above all while the pipeline fills and drains.</source>
        <translation>1 个微批次对 %1 个设备来说太少；设备有 %2 的时间空闲，主要在流水线填充和排空时。</translation>
    </message>
    <message>
        <source>%1 microbatches are few for %2 devices, which idle %3 of the time, above all while the pipeline fills and drains.</source>
        <translation>%1 个微批次对 %2 个设备来说偏少；设备有 %3 的时间空闲，主要在流水线填充和排空时。</translation>
    </message>
    <message>
        <source>is %1, but tables have %2 to %3 columns</source>
        <translation>为 %1，但表有 %2 到 %3 列</translation>
    </message>
    <message>
        <source>is %1, without the number of hashes</source>
        <translation>为 %1，缺少哈希数</translation>
    </message>
    <message>
        <source>is %1, but there are %2 to %3 hashes</source>
        <translation>为 %1，但哈希为 %2 到 %3 个</translation>
    </message>
    <message>
        <source>is %1, but tied weights have one table, whose rows the output needs for each token</source>
        <translation>为 %1，但共享权重只有一个表，输出需要其中每个词元的行</translation>
    </message>
    <message>
        <source>choose 0, or untied weights</source>
        <translation>请选择 0，或不共享的权重</translation>
    </message>
    <message>
        <source>Input hashes</source>
        <translation>输入哈希</translation>
    </message>
    <message>
        <source>Rows of a short input table that add up to the embedding of a token, which is another model (0: a row for each token).</source>
        <translation>短输入表中相加成为一个词元的嵌入的行数，因此是另一个模型（0：每个词元一行）。</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>a quantity and its unit</comment>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>a number of a cluster and what is wrong with it: is 3; choose 4 to 5</comment>
        <translation>%1%2</translation>
    </message>
    <message>
        <source>is no number</source>
        <translation>不是数字</translation>
    </message>
    <message>
        <source>choose %1 to %2 (the nearest is %3)</source>
        <translation>请选择 %1 到 %2（最接近的是 %3）</translation>
    </message>
    <message>
        <source>choose more than %1, up to %2</source>
        <translation>请选择大于 %1 且不超过 %2 的值</translation>
    </message>
    <message>
        <source>choose more than %1, up to %2 (the nearest is %3)</source>
        <translation>请选择大于 %1 且不超过 %2 的值（最接近的是 %3）</translation>
    </message>
    <message>
        <source>choose a whole number, such as %1</source>
        <translation>请选择整数，例如 %1</translation>
    </message>
    <message>
        <source>is %1, which is a preset</source>
        <translation>为 %1，这是预设的名称</translation>
    </message>
    <message>
        <source>choose another, such as %1</source>
        <translation>请选择另一个，例如 %1</translation>
    </message>
    <message>
        <source>Peak of matrix products</source>
        <translation>矩阵乘的峰值</translation>
    </message>
    <message>
        <source>dense matrix products in the training dtype, without sparsity</source>
        <translation>以训练的数值格式计算的稠密矩阵乘，不利用稀疏性</translation>
    </message>
    <message>
        <source>Share that matrix products reach</source>
        <translation>矩阵乘达到的比例</translation>
    </message>
    <message>
        <source>of the peak, by large matrix products</source>
        <translation>大的矩阵乘达到峰值的比例</translation>
    </message>
    <message>
        <source>Share that attention reaches</source>
        <translation>注意力达到的比例</translation>
    </message>
    <message>
        <source>of the peak, with the FLOPs of attention counted in full</source>
        <translation>占峰值的比例，注意力的 FLOP 全部计入</translation>
    </message>
    <message>
        <source>Dimension of half speed</source>
        <translation>半速维度</translation>
    </message>
    <message>
        <source>a product whose smallest dimension is n reaches n / (n + this) of its speed</source>
        <translation>最小维度为 n 的矩阵乘达到其速度的 n /（n + 该值）</translation>
    </message>
    <message>
        <source>Memory bandwidth</source>
        <translation>内存带宽</translation>
    </message>
    <message>
        <source>of memory-bound work</source>
        <translation>用于受内存带宽限制的工作</translation>
    </message>
    <message>
        <source>Overhead of a pass</source>
        <translation>一个计算块的开销</translation>
    </message>
    <message>
        <source>fixed time of a pass</source>
        <translation>每个计算块的固定时间</translation>
    </message>
    <message>
        <source>Launch of a kernel</source>
        <translation>内核的启动间隔</translation>
    </message>
    <message>
        <source>least time between the begins of two kernels</source>
        <translation>两个内核开始之间的最短时间</translation>
    </message>
    <message>
        <source>Memory of a GPU</source>
        <translation>一块 GPU 的内存</translation>
    </message>
    <message>
        <source>0: unknown</source>
        <translation>0：未知</translation>
    </message>
    <message>
        <source>Reserved of it</source>
        <translation>其中预留的内存</translation>
    </message>
    <message>
        <source>for the GPU&apos;s context and the buffers of NCCL</source>
        <translation>用于 GPU 的上下文和 NCCL 的缓冲区</translation>
    </message>
    <message>
        <source>Fragmentation</source>
        <translation>碎片</translation>
    </message>
    <message>
        <source>what the allocator wastes, as a share of the tensors&apos; bytes</source>
        <translation>分配器的浪费，为张量字节数的比例</translation>
    </message>
    <message>
        <source>Bandwidth to the host</source>
        <translation>到主机的带宽</translation>
    </message>
    <message>
        <source>of one GPU that copies alone, each way; 0: unknown</source>
        <translation>一块 GPU 单独拷贝时每个方向的带宽；0：未知</translation>
    </message>
    <message>
        <source>Shared bandwidth to the host</source>
        <translation>共享时到主机的带宽</translation>
    </message>
    <message>
        <source>of a GPU while all behind its switch copy; 0: an equal share</source>
        <translation>同一交换机的所有 GPU 同时拷贝时每块 GPU 的带宽；0：平均分配</translation>
    </message>
    <message>
        <source>GPUs a host link</source>
        <translation>每条主机链路的 GPU 数</translation>
    </message>
    <message>
        <source>that share a switch to the host</source>
        <translation>共享一个通往主机的交换机的 GPU</translation>
    </message>
    <message>
        <source>Memory of a node</source>
        <translation>一个节点的内存</translation>
    </message>
    <message>
        <source>of its processors; 0: unknown</source>
        <translation>其处理器的内存；0：未知</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点数</translation>
    </message>
    <message>
        <source>of the cluster; 0: as many as a plan needs</source>
        <translation>集群的节点；0：方案需要多少就有多少</translation>
    </message>
    <message>
        <source>GPUs a node</source>
        <translation>每节点的 GPU 数</translation>
    </message>
    <message>
        <source>ranks fill nodes in order</source>
        <translation>各 rank 按次序填满节点</translation>
    </message>
    <message>
        <source>Network adapters a node</source>
        <translation>每节点的网卡数</translation>
    </message>
    <message>
        <source>that the GPUs of a node share; 0: one for each GPU</source>
        <translation>一个节点的 GPU 所共享的网卡；0：每块 GPU 一个</translation>
    </message>
    <message>
        <source>Latency inside a node</source>
        <translation>节点内的延迟</translation>
    </message>
    <message>
        <source>of a message</source>
        <translation>一条消息的延迟</translation>
    </message>
    <message>
        <source>Bandwidth inside a node</source>
        <translation>节点内的带宽</translation>
    </message>
    <message>
        <source>of messages between two GPUs, in one direction</source>
        <translation>两块 GPU 之间的消息，一个方向</translation>
    </message>
    <message>
        <source>Oversubscription inside a node</source>
        <translation>节点内的超额订阅</translation>
    </message>
    <message>
        <source>divides the bandwidth when all GPUs send</source>
        <translation>所有 GPU 同时发送时带宽的除数</translation>
    </message>
    <message>
        <source>Latency between nodes</source>
        <translation>节点间的延迟</translation>
    </message>
    <message>
        <source>Bandwidth between nodes</source>
        <translation>节点间的带宽</translation>
    </message>
    <message>
        <source>of one network adapter, in one direction</source>
        <translation>一块网卡，一个方向</translation>
    </message>
    <message>
        <source>Oversubscription between nodes</source>
        <translation>节点间的超额订阅</translation>
    </message>
    <message>
        <source>divides the bandwidth of all adapters</source>
        <translation>所有网卡的带宽的除数</translation>
    </message>
    <message>
        <source>Limit of collectives but the all-reduce</source>
        <translation>除 all-reduce 外的集合通信的上限</translation>
    </message>
    <message>
        <source>inside a node, of operations without a table of their own; 0: none</source>
        <translation>节点内，没有自己的表的操作的总线速率上限；0：无</translation>
    </message>
    <message>
        <source>Price of a GPU-hour</source>
        <translation>一个 GPU 小时的价格</translation>
    </message>
    <message>
        <source>Slow link %1-%2</source>
        <translation>慢速链路 %1-%2</translation>
    </message>
    <message>
        <source>A message to device %1
Pull its end to make the link between devices %2 slower or faster</source>
        <translation>发往设备 %1 的消息
拖动其末端可使设备 %2 之间的链路变慢或变快</translation>
    </message>
    <message>
        <source>Messages between devices %1 take %2 as long
As a what-if; Esc takes it back</source>
        <translation>设备 %1 之间的消息用时为 %2
作为假设情形；Esc 可取消</translation>
    </message>
    <message>
        <source>%1
Pull its end to make device %2 slower or faster</source>
        <translation>%1
拖动其末端可使设备 %2 变慢或变快</translation>
    </message>
    <message>
        <source>%1 takes %2 as long
So does every pass of device %3, as a what-if; Esc takes it back</source>
        <translation>%1 的用时为 %2
设备 %3 的所有计算块作为假设情形都按此计算；Esc 可取消</translation>
    </message>
    <message>
        <source>“%1” is no whole number of this field: write 32, 32k or 32Ki. Still %2.</source>
        <translation>“%1”不是此字段的整数：请写 32、32k 或 32Ki。仍为 %2。</translation>
    </message>
    <message>
        <source>Restart now</source>
        <translation>立即重启</translation>
    </message>
    <message>
        <source>Better still than %1: </source>
        <translation>比 %1 更好：</translation>
    </message>
    <message>
        <source>Shapes that fit…</source>
        <translation>可容纳的形状…</translation>
    </message>
    <message>
        <source>= %1 Gb/s a GPU</source>
        <translation>= 每 GPU %1 Gb/s</translation>
    </message>
    <message>
        <source>= %1 Gb/s a GPU, %2 Gb/s a node</source>
        <translation>= 每 GPU %1 Gb/s，每节点 %2 Gb/s</translation>
    </message>
    <message>
        <source>= %1 Gb/s an adapter, %2 Gb/s a node</source>
        <translation>= 每网卡 %1 Gb/s，每节点 %2 Gb/s</translation>
    </message>
    <message>
        <source>Bandwidths, latencies and other figures of a cluster: Hardware &gt; Copy and edit…</source>
        <translation>集群的带宽、延迟等数值：硬件 &gt; 复制并编辑…</translation>
    </message>
    <message>
        <source>Nothing found. </source>
        <translation>没有找到。</translation>
    </message>
    <message>
        <source>e.g. 2e12</source>
        <translation>如 2e12</translation>
    </message>
    <message>
        <source>This is no number of tokens, such as 2e12 or 2T.</source>
        <translation>这不是词元数，例如 2e12 或 2T。</translation>
    </message>
    <message>
        <source>The window now shows %1: %2. Ctrl+Z takes it back.</source>
        <translation>窗口现在显示 %1：%2。按 Ctrl+Z 撤销。</translation>
    </message>
    <message>
        <source>Gb/s between nodes</source>
        <translation>节点间 Gb/s</translation>
    </message>
    <message>
        <source>Tick all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Tick none</source>
        <translation>全不选</translation>
    </message>
    <message>
        <source>%1 of %2 chosen</source>
        <translation>已选 %1/%2</translation>
    </message>
    <message>
        <source>Changes the order: %1. Undo takes it back.</source>
        <translation>改变顺序：%1。撤销可取消。</translation>
    </message>
    <message>
        <source>The schedule was repaired: %1.</source>
        <translation>已修复调度。%1。</translation>
    </message>
    <message>
        <source>The plan that the window shows, with its part of the time axis and its colours; or the morph, or all plans of Compare, while the window shows them</source>
        <translation>窗口所示的方案，连同时间轴的可见部分和颜色；窗口显示变形或“比较”时，则是该变形或所比较的全部方案</translation>
    </message>
    <message>
        <source>Full screen from the first scene; PgDn and PgUp go on and back. A double click on a scene begins with it.</source>
        <translation>从第一个场景开始全屏显示；PgDn 和 PgUp 前进和后退。双击某个场景则从它开始。</translation>
    </message>
    <message>
        <source>%1 cannot be a scene. </source>
        <translation>%1 不能作为场景。</translation>
    </message>
    <message>
        <source>&amp;Add these %1 plans</source>
        <translation>添加这 %1 个方案(&amp;A)</translation>
    </message>
    <message>
        <source>As a lecture…</source>
        <translation>作为讲座…</translation>
    </message>
    <message>
        <source>Adds each of these plans as a scene to the lecture, which is presented or written as slides</source>
        <translation>把这些方案逐一作为场景加入讲座；讲座可以演示，也可以写成幻灯片</translation>
    </message>
    <message>
        <source>Puts the plans of the marked point&apos;s series side by side: two to six; of more, it and the fastest others</source>
        <translation>并排显示所标记的点所在系列的方案，两到六个；更多时，显示该点和其余最快的方案</translation>
    </message>
    <message>
        <source>removed: %1</source>
        <translation>移除 %1 个</translation>
    </message>
    <message>
        <source>added: %1</source>
        <translation>补上 %1 个</translation>
    </message>
    <message>
        <source>moved: %1</source>
        <translation>移动 %1 个</translation>
    </message>
    <message>
        <source>no pass changed</source>
        <translation>没有计算块改变</translation>
    </message>
    <message>
        <source>passes %1</source>
        <translation>计算块：%1</translation>
    </message>
    <message>
        <source>The machine was busy: passes had a processor for a part of their time only (%1).</source>
        <translation>机器繁忙：计算块只在部分时间里占有处理器（%1）。</translation>
    </message>
    <message>
        <source>Its prediction</source>
        <translation>其预测</translation>
    </message>
    <message>
        <source>Least time that these passes on these devices can take, in any order. Another split of the work has another bound.</source>
        <translation>这些计算块在这些设备上以任何顺序所需的最短时间。工作的另一种划分有另一个下限。</translation>
    </message>
    <message>
        <source>Compare with its prediction</source>
        <translation>与其预测比较</translation>
    </message>
    <message>
        <source>Tick or select one to six runs to compare them</source>
        <translation>勾选或选择一到六个运行进行比较</translation>
    </message>
    <message>
        <source>Train to see the loss.</source>
        <translation>训练后可看到损失。</translation>
    </message>
    <message>
        <source>%1 pipeline devices (%2 GPUs)</source>
        <translation>%1 个流水线设备（%2 个 GPU）</translation>
    </message>
    <message>
        <source>is %1, without the number of heads</source>
        <translation>为 %1，缺少头的数量</translation>
    </message>
    <message>
        <source>is %1, but there are %2 to %3 heads</source>
        <translation>为 %1，但头的数量为 %2 到 %3</translation>
    </message>
    <message>
        <source>is %1, but a sequence of %2 tokens has no token so far ahead</source>
        <translation>为 %1，但 %2 个词元的序列中没有那么靠后的词元</translation>
    </message>
    <message>
        <source>has %1 cut-offs</source>
        <translation>有 %1 个分界点</translation>
    </message>
    <message>
        <source>has cut-offs that do not rise from 1 on</source>
        <translation>的分界点不是从 1 起递增</translation>
    </message>
    <message>
        <source>choose such as 8192/65536</source>
        <translation>请选择例如 8192/65536</translation>
    </message>
    <message>
        <source>has a cut-off of %1, beyond the %2 words of the vocabulary</source>
        <translation>有分界点 %1，超出词表的 %2 个词</translation>
    </message>
    <message>
        <source>narrows layers that are narrower than 4</source>
        <translation>要缩窄宽度不足 4 的层</translation>
    </message>
    <message>
        <source>choose a larger hidden size</source>
        <translation>请选择更大的隐藏层大小</translation>
    </message>
    <message>
        <source>has tables of its own, and tied weights have one table for both sides</source>
        <translation>有自己的表，而共享的权重两侧只有一个表</translation>
    </message>
    <message>
        <source>choose untied weights</source>
        <translation>请选择不共享权重</translation>
    </message>
    <message>
        <source>the tails are computed in the room of the logits that the head keeps</source>
        <translation>尾部在头部所保留的 logits 的空间中计算</translation>
    </message>
    <message>
        <source>choose full, or one softmax</source>
        <translation>请选择 full，或一个 softmax</translation>
    </message>
    <message>
        <source>its tails read one row of each token, as wide as the layers</source>
        <translation>其尾部读取每个词元的一行，与层同宽</translation>
    </message>
    <message>
        <source>choose one head and full tables, or one softmax</source>
        <translation>请选择一个头和完整的表，或一个 softmax</translation>
    </message>
    <message>
        <source>tails add their gradients to those of the head in fp32 only</source>
        <translation>尾部只能以 fp32 把梯度加到头部的梯度上</translation>
    </message>
    <message>
        <source>choose fp32, or one softmax</source>
        <translation>请选择 fp32，或一个 softmax</translation>
    </message>
    <message>
        <source>GPUs do not yet choose the tokens of a tail</source>
        <translation>GPU 尚不能选出尾部的词元</translation>
    </message>
    <message>
        <source>choose one softmax, or the backend cpu</source>
        <translation>请选择一个 softmax，或后端 cpu</translation>
    </message>
    <message>
        <source>Output heads</source>
        <translation>输出头</translation>
    </message>
    <message>
        <source>Heads of the output layer, of which each predicts a token one position further ahead (multi-token prediction), which is another model (1: the next token).</source>
        <translation>输出层的头，每个预测再往后一个位置的词元（多词元预测），是另一个模型（1：下一个词元）。</translation>
    </message>
    <message>
        <source>Adaptive softmax</source>
        <translation>自适应 softmax</translation>
    </message>
    <message>
        <source>Cut-offs of the vocabulary, such as 8192/65536: words below the first have a softmax of their own, and rarer ones share one and have narrower tables, which is another model (default: one softmax).</source>
        <translation>词表的分界点，例如 8192/65536：第一个分界点之前的词有自己的 softmax，更罕见的词共用一个，且表更窄，这是另一个模型（默认：一个 softmax）。</translation>
    </message>
    <message>
        <source>one softmax</source>
        <translation>一个 softmax</translation>
    </message>
    <message>
        <source>What the output layer keeps of a microbatch until its gradient: full keeps exp(logits); recompute-logits keeps three numbers a token and multiplies again; chunked=C keeps no more, and computes a C-th of the tokens at a time; factorised=E is short for --vocabulary-width E, hashed=K for --input-hashes K, heads=K for --output-heads K.</source>
        <translation>输出层在求梯度之前为每个微批次保留的内容：full 保留 exp(logits)；recompute-logits 每个词元只保留三个数并重新做一次乘法；chunked=C 不保留更多，每次计算 1/C 的词元；factorised=E 是 --vocabulary-width E 的简写，hashed=K 是 --input-hashes K 的简写，heads=K 是 --output-heads K 的简写。</translation>
    </message>
    <message>
        <source>this has been checked on processors only</source>
        <translation>只在处理器上检查过</translation>
    </message>
    <message>
        <source>orders with split sequences have rules of their own</source>
        <translation>拆分序列的顺序有自己的规则</translation>
    </message>
    <message>
        <source>only %1 of the %2 passes of such a schedule are there</source>
        <translation>这种调度的 %2 个计算块中只有 %1 个</translation>
    </message>
    <message>
        <source>write the others, or choose a family</source>
        <translation>请写出其余的，或选择一个调度族</translation>
    </message>
    <message>
        <source>This computer was measured: equal passes differ by %1.</source>
        <translation>已测量本机：相同计算块相差 %1。</translation>
    </message>
    <message>
        <source>An iteration of this plan now takes %1; before it was %2.</source>
        <translation>此方案的一次迭代现在需要 %1，之前为 %2。</translation>
    </message>
    <message>
        <source>Only with A&apos;s memory or less</source>
        <translation>仅限内存不超过 A 的</translation>
    </message>
    <message>
        <source>Nothing to compare yet. Add predictions, files and runs above, or tick up to six runs in the table of runs.</source>
        <translation>尚无可比较的内容。请在上方添加预测、文件和运行，或在运行表中勾选至多六个。</translation>
    </message>
    <message>
        <source>Tokens of the whole training, such as 2e12 or 2T: the table then has days, and with a price costs</source>
        <translation>整个训练的词元数，如 2e12 或 2T：表格随后给出天数，有价格时还给出费用</translation>
    </message>
    <message>
        <source>What a GPU costs an hour: with it and the tokens, the table has costs</source>
        <translation>一块 GPU 每小时的费用：与词元数一起给出时，表格会显示费用</translation>
    </message>
    <message>
        <source>This is no price, such as 2.5.</source>
        <translation>这不是价格，例如 2.5。</translation>
    </message>
    <message>
        <source>e.g. 2.5</source>
        <translation>例如 2.5</translation>
    </message>
    <message>
        <source>Run %1. Double-click shows it with its plan; tick up to six to compare them.</source>
        <translation>运行 %1。双击可连同其方案一起显示；勾选至多六个可比较。</translation>
    </message>
    <message>
        <source>impossible (at the bottom: without a figure)</source>
        <translation>不可行（位于底部：没有数值）</translation>
    </message>
    <message>
        <source>Vary the schedule</source>
        <translation>改变调度</translation>
    </message>
    <message>
        <source>Tries the schedules that suit this plan in place of the parameter above</source>
        <translation>用适合此方案的各种调度代替上面的参数</translation>
    </message>
    <message>
        <source> · Only %1 was tried.</source>
        <translation> · 只试过 %1。</translation>
    </message>
    <message>
        <source>has no plan</source>
        <translation>没有方案</translation>
    </message>
    <message>
        <source>remove the scene, or give it the object &quot;%1&quot;</source>
        <translation>请删除该场景，或为其提供对象 &quot;%1&quot;</translation>
    </message>
    <message>
        <source>one of &quot;plan&quot; and &quot;from&quot; is in teaching units and the other in time</source>
        <translation>&quot;plan&quot; 与 &quot;from&quot; 中一个用教学单位，另一个用时间</translation>
    </message>
    <message>
        <source>give two of one kind</source>
        <translation>请给出同一种类的两个</translation>
    </message>
    <message>
        <source>&quot;colour&quot; is %1</source>
        <translation>&quot;colour&quot; 是 %1</translation>
    </message>
    <message>
        <source>use kind, microbatch, chunk or slack</source>
        <translation>请使用 kind、microbatch、chunk 或 slack</translation>
    </message>
    <message>
        <source>&quot;range&quot; is no begin and end</source>
        <translation>&quot;range&quot; 不是起点和终点</translation>
    </message>
    <message>
        <source>leave it out to show the whole iteration</source>
        <translation>省略它可显示整个迭代</translation>
    </message>
    <message>
        <source>&quot;axis&quot; is no time</source>
        <translation>&quot;axis&quot; 不是时间</translation>
    </message>
    <message>
        <source>leave it out for an axis as long as the plan</source>
        <translation>省略它时坐标轴与方案等长</translation>
    </message>
    <message>
        <source>is no JSON object: %1 at byte %2</source>
        <translation>不是 JSON 对象：第 %2 字节处 %1</translation>
    </message>
    <message>
        <source>is no lecture</source>
        <translation>不是讲座文件</translation>
    </message>
    <message>
        <source>its &quot;format&quot; must be &quot;stagelens-lecture&quot;</source>
        <translation>其 &quot;format&quot; 必须是 &quot;stagelens-lecture&quot;</translation>
    </message>
    <message>
        <source>has a version other than %1</source>
        <translation>其版本不是 %1</translation>
    </message>
    <message>
        <source>open it with a newer Stagelens</source>
        <translation>请用更新的 Stagelens 打开</translation>
    </message>
    <message>
        <source>has %1 scenes, and at most %2 are read</source>
        <translation>有 %1 个场景，最多读取 %2 个</translation>
    </message>
    <message>
        <source>Like the &amp;desktop</source>
        <translation>跟随桌面(&amp;D)</translation>
    </message>
    <message>
        <source>%1: iteration %2, bubble %3, microbatches held: at most %4</source>
        <translation>%1：迭代 %2，气泡 %3，保留的微批次：最多 %4</translation>
    </message>
    <message>
        <source>
Before: iteration %1, bubble %2, microbatches held: at most %3</source>
        <translation>
之前：迭代 %1，气泡 %2，保留的微批次：最多 %3</translation>
    </message>
    <message>
        <source>
Below: iteration %1, bubble %2, microbatches held: at most %3</source>
        <translation>
下方：迭代 %1，气泡 %2，保留的微批次：最多 %3</translation>
    </message>
    <message>
        <source>cannot be trained here: %1</source>
        <translation>此处无法训练：%1</translation>
    </message>
    <message>
        <source>held</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>No method, schedule or even cut of the layers that was tried makes this plan more than 1 % faster at this memory.</source>
        <translation>试过的方法、调度和均匀划分层中，没有一个能在此内存下使此方案快 1 % 以上。</translation>
    </message>
    <message>
        <source>is fp8, but the hardware %1 has no products in 8 bits</source>
        <translation>为 fp8，但硬件 %1 没有 8 位矩阵乘</translation>
    </message>
    <message>
        <source>choose bf16, or give it peak_flops_of_8_bits</source>
        <translation>请选择 bf16，或为它给出 peak_flops_of_8_bits</translation>
    </message>
    <message>
        <source>draws %1 different words, more than the %2 of the vocabulary</source>
        <translation>抽出 %1 个不同的词，多于词表的 %2 个</translation>
    </message>
    <message>
        <source>words are drawn for one label of each token, among all words</source>
        <translation>词是为每个词元的一个标签从所有词中抽出的</translation>
    </message>
    <message>
        <source>choose one head and one softmax, or all words</source>
        <translation>请选择一个头和一个 softmax，或所有词</translation>
    </message>
    <message>
        <source>logits of drawn words are corrected in fp32 only</source>
        <translation>抽出的词的 logits 只在 fp32 中校正</translation>
    </message>
    <message>
        <source>choose fp32, or all words</source>
        <translation>请选择 fp32，或所有词</translation>
    </message>
    <message>
        <source>GPUs do not yet correct the logits of drawn words</source>
        <translation>GPU 还不校正抽出的词的 logits</translation>
    </message>
    <message>
        <source>choose all words, or the backend cpu</source>
        <translation>请选择所有词，或后端 cpu</translation>
    </message>
    <message>
        <source>Sampled softmax</source>
        <translation>采样 softmax</translation>
    </message>
    <message>
        <source>Words that training draws for each microbatch to compare its labels with, which is another model; an evaluation compares them with all words (default: all words).</source>
        <translation>训练为每个微批次抽出、用来与其标签比较的词数，是另一个模型；评估与所有词比较（默认：所有词）。</translation>
    </message>
    <message>
        <source>all words</source>
        <translation>所有词</translation>
    </message>
    <message>
        <source>Uncompressed steps before</source>
        <translation>压缩前的步数</translation>
    </message>
    <message>
        <source>context ranks together with latent attention</source>
        <translation>与潜在注意力一起使用的上下文 rank</translation>
    </message>
    <message>
        <source>Peak of products in 8 bits</source>
        <translation>8 位矩阵乘的峰值</translation>
    </message>
    <message>
        <source>dense matrix products in fp8, without sparsity; 0: none</source>
        <translation>fp8 的稠密矩阵乘，不含稀疏；0：没有</translation>
    </message>
    <message>
        <source>NVIDIA GB200 186 GB: 2500 TFLOP/s, 5000 in 8 bits, 8 TB/s, 72 a node with NVLink (a rack), InfiniBand between nodes; products as of B200, attention as cuDNN measured, NVLink as DeepEP measured</source>
        <translation>NVIDIA GB200 186 GB：2500 TFLOP/s，8 位 5000，8 TB/s，每节点（机架）72 块以 NVLink 相连，节点间为 InfiniBand；矩阵乘同 B200，注意力按 cuDNN 的测量，NVLink 按 DeepEP 的测量</translation>
    </message>
    <message>
        <source>NVIDIA GB300 279 GB: 2500 TFLOP/s, 5000 in 8 bits, 8 TB/s, 72 a node with NVLink (a rack), InfiniBand between nodes; products as of B200, attention as cuDNN measured, NVLink as DeepEP measured on GB200</source>
        <translation>NVIDIA GB300 279 GB：2500 TFLOP/s，8 位 5000，8 TB/s，每节点（机架）72 块以 NVLink 相连，节点间为 InfiniBand；矩阵乘同 B200，注意力按 cuDNN 的测量，NVLink 按 DeepEP 在 GB200 上的测量</translation>
    </message>
    <message>
        <source>What replicas shard: 0 nothing, 1 optimizer state, 2 also gradients, 3 also parameters (FSDP).</source>
        <translation>副本间分片的内容：0 无，1 优化器状态，2 另加梯度，3 另加参数（FSDP）。</translation>
    </message>
    <message>
        <source>ZeRO-%1 in every pass (FSDP)</source>
        <translation>每个计算块的 ZeRO-%1（FSDP）</translation>
    </message>
    <message>
        <source>Pipeline, tensor or FSDP?</source>
        <translation>流水线、张量还是 FSDP？</translation>
    </message>
    <message>
        <source>Compares the best plans of mostly pipeline, mostly tensor, mostly context and mostly data ranks (DDP or FSDP)</source>
        <translation>比较分别以流水线、张量、上下文和数据（DDP 或 FSDP）为主的最佳方案</translation>
    </message>
    <message>
        <source>Mostly pipeline</source>
        <translation>以流水线为主</translation>
    </message>
    <message>
        <source>Mostly tensor</source>
        <translation>以张量为主</translation>
    </message>
    <message>
        <source>Mostly context</source>
        <translation>以上下文为主</translation>
    </message>
    <message>
        <source>Mostly data</source>
        <translation>以数据为主</translation>
    </message>
    <message>
        <source>%1 (does not fit)</source>
        <translation>%1（放不下）</translation>
    </message>
    <message>
        <source>Start of the iteration</source>
        <translation>迭代的开始</translation>
    </message>
    <message>
        <source>Start of a microbatch</source>
        <translation>微批次的开始</translation>
    </message>
    <message>
        <source>Median %1, half of the steps %2, predicted %3</source>
        <translation>中位数 %1，一半的步 %2，预测 %3</translation>
    </message>
    <message>
        <source>In all</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>In a typical step each pass lasts its median over the steps, so it may be shorter than any of them.</source>
        <translation>在典型的一步中，每个计算块的时长是它在各步中的中位数，因此可能比任何一步都短。</translation>
    </message>
    <message>
        <source>Half of the steps took</source>
        <translation>一半步所用的时间</translation>
    </message>
    <message>
        <source>%1 (of %2)</source>
        <translation>%1（共 %2 步）</translation>
    </message>
    <message>
        <source>%1 %2.</source>
        <translation>%1 %2。</translation>
    </message>
    <message>
        <source>Tokens of a sequence, the context length.</source>
        <translation>一个序列的词元数，即上下文长度。</translation>
    </message>
    <message>
        <source>The times of this computer are general values until it is measured, which takes some seconds after the first start.</source>
        <translation>在测量本机之前，其时间为一般值；首次启动后测量需要几秒钟。</translation>
    </message>
    <message>
        <source>%1 GPUs, %2, %3 sequences of %4 tokens a step</source>
        <translation>%1 个 GPU，%2，每步 %3 个 %4 词元的序列</translation>
    </message>
    <message>
        <source>%1 · </source>
        <translation>%1 · </translation>
    </message>
    <message>
        <source>Predicted with unmeasured costs</source>
        <translation>以未实测的成本预测</translation>
    </message>
    <message>
        <source>Searches the ways to divide the devices for one that fits</source>
        <translation>在划分设备的各种方式中寻找放得下的一种</translation>
    </message>
    <message>
        <source>the ranks of one device do not yet divide the tails of an adaptive softmax</source>
        <translation>一个设备的各 rank 尚不划分自适应 softmax 的尾部</translation>
    </message>
    <message>
        <source>ranks do not yet gather the rows of tails of each other&apos;s tokens</source>
        <translation>各 rank 尚不收集彼此词元的尾部行</translation>
    </message>
    <message>
        <source>Steps done: %1 of %2.</source>
        <translation>已完成的步数：%2 步中的 %1 步。</translation>
    </message>
    <message>
        <source>Gap after a kernel</source>
        <translation>内核之后的间隔</translation>
    </message>
    <message>
        <source>idle time after each kernel of a layer, as of a host that waits for the GPU between launches</source>
        <translation>层的每个内核之后的空闲时间，例如主机在两次启动之间等待 GPU</translation>
    </message>
    <message>
        <source>Fused kernels (1: yes, 0: no)</source>
        <translation>融合内核（1：是，0：否）</translation>
    </message>
    <message>
        <source>1: norms, additions and activation functions are fused with biases and dropout, and read and write 16 bits once; 0: separate kernels with copies in fp32</source>
        <translation>1：归一化、加法和激活函数与偏置和 dropout 融合，各读写一次 16 位数；0：带有 fp32 副本的独立内核</translation>
    </message>
    <message>
        <source>choose 1, or as many expert ranks as tensor ranks</source>
        <translation>请选择 1，或与张量 rank 一样多的专家 rank</translation>
    </message>
    <message>
        <source>%1 has no pairs to choose</source>
        <translation>%1 没有可选的重叠对</translation>
    </message>
    <message>
        <source>leave it out or choose 1f1b or interleaved-1f1b</source>
        <translation>请不设置，或选择 1f1b 或 interleaved-1f1b</translation>
    </message>
    <message>
        <source>without sequence parallelism the tensor ranks would route the same tokens</source>
        <translation>没有序列并行时，各张量 rank 会为同样的词元选择路由</translation>
    </message>
    <message>
        <source>choose 1, or --sequence-parallel</source>
        <translation>请选择 1，或 --sequence-parallel</translation>
    </message>
    <message>
        <source>is %1, which is no multiple of the %2 tensor ranks, which share experts</source>
        <translation>为 %1，不是共享专家的 %2 个张量 rank 的倍数</translation>
    </message>
    <message>
        <source>Overlapped pairs</source>
        <translation>重叠对</translation>
    </message>
    <message>
        <source>A forward and a backward of different microbatches run at once in the steady phase (1f1b, interleaved-1f1b): all-to-alls of experts hide behind the computation of the other, for more activations: up to twice those of 1f1b, or those of one more pass of interleaved-1f1b.</source>
        <translation>在稳定阶段同时执行不同微批次的前向和反向（1f1b、interleaved-1f1b）：专家的 all-to-all 被另一方的计算掩盖，代价是更多激活值：1f1b 最多为两倍，interleaved-1f1b 为多一个计算块的激活值。</translation>
    </message>
    <message>
        <source>Ranks that share the experts of each layer, folded over tensor ranks and adjacent replicas; a divisor of the experts and of tensor ranks times replicas, and a multiple of the tensor ranks.</source>
        <translation>共享每层专家的 rank，跨张量 rank 和相邻副本；是专家数以及张量 rank 数乘副本数的约数，并且是张量 rank 数的倍数。</translation>
    </message>
    <message>
        <source>It exchanges the tokens of experts with %1, %2.</source>
        <translation>它与 %1 交换专家的词元，%2。</translation>
    </message>
    <message>
        <source>Expert</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>Overlapped pairs hide nothing here: collectives are blocking.</source>
        <translation>重叠对在此不掩盖任何东西：集合通信会阻塞设备。</translation>
    </message>
    <message>
        <source>Overlapped pairs hide nothing here: they overlap all-to-alls of experts on several ranks.</source>
        <translation>这里的重叠对不掩盖任何通信：它们重叠的是分布在多个 rank 上的专家的 all-to-all。</translation>
    </message>
    <message>
        <source>choose reshard or resident, or 1F1B on one device</source>
        <translation>请选择 reshard 或 resident，或单设备上的 1F1B</translation>
    </message>
    <message>
        <source>hosts do not yet sum what devices with rows of one table add up</source>
        <translation>主机尚不能对持有同一张表的行的设备所累加的内容求和</translation>
    </message>
    <message>
        <source>choose no, or adamw, lion or sgd</source>
        <translation>请选择 no，或 adamw、lion 或 sgd</translation>
    </message>
    <message>
        <source>replicas gather parameters in the memory of devices</source>
        <translation>副本在设备的内存中收集参数</translation>
    </message>
    <message>
        <source>choose no, or zero 2</source>
        <translation>请选择 no，或 zero 2</translation>
    </message>
    <message>
        <source>passes that reduce gradients do not yet copy them to the host</source>
        <translation>归约梯度的计算块尚不能把梯度拷贝到主机</translation>
    </message>
    <message>
        <source>choose no, or zero2 deferred</source>
        <translation>请选择 no，或 zero2 deferred</translation>
    </message>
    <message>
        <source>routers read the bias where it is updated</source>
        <translation>路由器在偏置被更新之处读取它</translation>
    </message>
    <message>
        <source>choose no, or the router softmax</source>
        <translation>请选择 no，或路由器 softmax</translation>
    </message>
    <message>
        <source>the host that keeps the weights also updates them, and needs the optimizer&apos;s state</source>
        <translation>保存权重的主机也更新它们，需要优化器的状态</translation>
    </message>
    <message>
        <source>choose no, or --offload-optimizer</source>
        <translation>请选择 no，或 --offload-optimizer</translation>
    </message>
    <message>
        <source>both would share the link to the host, and copies of activations are planned for a link of their own</source>
        <translation>两者会共用到主机的链路，而激活的拷贝是按独占的链路规划的</translation>
    </message>
    <message>
        <source>choose no, or offload none and a family that offloads nothing</source>
        <translation>请选择 no，或 offload none 以及不卸载任何内容的调度族</translation>
    </message>
    <message>
        <source>the schedule updates weights between its passes, which keep several versions of them on the device</source>
        <translation>该调度在计算块之间更新权重，计算块在设备上保存权重的多个版本</translation>
    </message>
    <message>
        <source>choose no, or a synchronous schedule such as 1f1b</source>
        <translation>请选择 no，或 1f1b 这样的同步调度</translation>
    </message>
    <message>
        <source>needs the speed of the link to the host, which the hardware does not give</source>
        <translation>需要到主机的链路的速率，而硬件没有给出</translation>
    </message>
    <message>
        <source>give --host-bandwidth</source>
        <translation>请给出 --host-bandwidth</translation>
    </message>
    <message>
        <source>a node has %1 for what its devices keep on the host, but they need %2</source>
        <translation>一个节点有 %1 用于其设备存放在主机上的内容，但需要 %2</translation>
    </message>
    <message>
        <source>raise it, or choose --no-offload-optimizer</source>
        <translation>请提高它，或选择 --no-offload-optimizer</translation>
    </message>
    <message>
        <source>each replica adds its own gradient to the whole momentum, of which ZeRO keeps a share</source>
        <translation>每个副本把自己的梯度加到整个动量上，而 ZeRO 只保存其中一份</translation>
    </message>
    <message>
        <source>choose sign, or zero 0</source>
        <translation>请选择 sign，或 zero 0</translation>
    </message>
    <message>
        <source>only AdamW has the two moments of which it keeps one</source>
        <translation>它保持两个矩中的一个不变，而只有 AdamW 有这两个矩</translation>
    </message>
    <message>
        <source>choose sign, or the optimizer adamw</source>
        <translation>请选择 sign，或优化器 adamw</translation>
    </message>
    <message>
        <source>replicas exchange momentum, and no device has the gradient whose norm is limited</source>
        <translation>副本交换动量，没有设备拥有要限制其范数的梯度</translation>
    </message>
    <message>
        <source>choose sign, or no clip</source>
        <translation>请选择 sign，或去掉 clip</translation>
    </message>
    <message>
        <source>devices compress the momentum, which the host would keep</source>
        <translation>设备压缩动量，而主机会保存它</translation>
    </message>
    <message>
        <source>choose sign, or --no-offload-optimizer</source>
        <translation>请选择 sign，或 --no-offload-optimizer</translation>
    </message>
    <message>
        <source>In its forward, for its backward as well; on one device; only predicted</source>
        <translation>在其前向中收集，其反向也使用；仅限单设备；仅预测</translation>
    </message>
    <message>
        <source>Optimizer on the host</source>
        <translation>主机上的优化器</translation>
    </message>
    <message>
        <source>The host keeps the optimizer&apos;s state in its memory and updates the parameters: gradients are copied to it at the end of a step, and weights back.</source>
        <translation>主机在其内存中保存优化器的状态并更新参数：一步结束时把梯度拷贝到主机，再把权重拷贝回来。</translation>
    </message>
    <message>
        <source>Parameters on the host</source>
        <translation>主机上的参数</translation>
    </message>
    <message>
        <source>The host also keeps the weights of the layers: a pass copies those of one layer while it computes another, so that a device holds two layers (needs --offload-optimizer).</source>
        <translation>主机还保存各层的权重：计算块在计算一层的同时拷贝另一层的权重，所以设备只保存两层（需要 --offload-optimizer）。</translation>
    </message>
    <message>
        <source>Steps at the beginning of the training in which replicas send all numbers of their gradients, which are large and change quickly there (one-bit-adam: 15 % of the steps if 0).</source>
        <translation>训练开始时副本发送其梯度的所有数值的步数，那时梯度较大且变化很快（one-bit-adam：0 表示步数的 15 %）。</translation>
    </message>
    <message>
        <source>What replicas send of their gradients, the rest being kept for the next step: none (all), powersgd=R (two matrices of rank R), top-k=F (that share of the numbers, the greatest ones), sign (a bit for each) or one-bit-adam (a bit for each of the momentum of AdamW, whose second moments stay as they are after the uncompressed steps).</source>
        <translation>副本发送其梯度的哪些部分，其余留到下一步：none（全部）、powersgd=R（两个秩为 R 的矩阵）、top-k=F（该比例的最大的数）、sign（每个数一位）或 one-bit-adam（AdamW 的动量的每个数一位，未压缩的步之后二阶矩保持不变）。</translation>
    </message>
    <message>
        <source>1-bit Adam</source>
        <translation>1-bit Adam</translation>
    </message>
    <message>
        <source>One bit for each number of the momentum, to one replica and from it to all</source>
        <translation>动量的每个数一位，发给一个副本，再由它发给所有副本</translation>
    </message>
    <message>
        <source>With expert ranks: expert sends a token to each of its experts; node sends it once to each node of its experts, whose ranks forward it.</source>
        <translation>有专家 rank 时：expert 将词元发送给它的每个专家；node 只向其专家所在的每个节点发送一次，再由该节点的 rank 转发。</translation>
    </message>
    <message>
        <source>Ranks of a node forward tokens among themselves</source>
        <translation>节点内的 rank 相互转发词元</translation>
    </message>
    <message>
        <source>With expert ranks: precision of tokens and gradients on their way to experts: same as the model&apos;s, or fp8, which changes the training.</source>
        <translation>有专家 rank 时：词元和梯度发往专家时的精度：same 与模型相同，或会改变训练的 fp8。</translation>
    </message>
    <message>
        <source>e4m3 on the way to experts, with a factor for every 128 numbers</source>
        <translation>发往专家时为 e4m3，每 128 个数一个系数</translation>
    </message>
    <message>
        <source>rank %1 of %2 expert ranks forwards %3 tokens, but has memory for %4</source>
        <translation>rank %1（专家 rank 共 %2 个）转发 %3 个词元，但内存只够 %4 个</translation>
    </message>
    <message>
        <source>Split messages (1: yes, 0: no)</source>
        <translation>拆分消息（1：是，0：否）</translation>
    </message>
    <message>
        <source>1: tensor ranks without sequence parallelism send a share of a message each to another node, whose ranks gather it; 0: each sends the whole</source>
        <translation>1：没有序列并行的各张量 rank 向另一节点各发送消息的一份，由那里的 rank 收集；0：各自发送全部</translation>
    </message>
    <message>
        <source>ZeRO-%1 in every microbatch</source>
        <translation>每个微批次的 ZeRO-%1</translation>
    </message>
    <message>
        <source>a run names weights as Hugging Face&apos;s GPT-2, which has no groups</source>
        <translation>运行按 Hugging Face 的 GPT-2 命名权重，而它没有分组</translation>
    </message>
    <message>
        <source>choose as many as heads, or the family llama</source>
        <translation>请选择与头数相同的数，或 llama 系列</translation>
    </message>
    <message>
        <source>On, with the weights of the layers</source>
        <translation>开，包括各层的权重</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Activations that wait for their backward on the host: none (po-h: those of half of the stages, po-f: all); auto, those whose copies keep no pass waiting; or that part of each device&apos;s, from 0 to 1, those that wait longest first.</source>
        <translation>在主机上等待其反向的激活：none（po-h：一半阶段的激活，po-f：全部）；auto：其复制不使任何计算块等待的激活；或各设备的激活中等待最久的那一部分，从 0 到 1。</translation>
    </message>
    <message>
        <source>What is free</source>
        <translation>无代价的部分</translation>
    </message>
    <message>
        <source>As many activations as are copied without any pass waiting</source>
        <translation>在没有计算块等待的情况下所能复制的激活</translation>
    </message>
    <message>
        <source>Half</source>
        <translation>一半</translation>
    </message>
    <message>
        <source>Half of each device&apos;s activations, even if passes wait for their copies</source>
        <translation>各设备激活的一半，即使计算块要等待其复制</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>All activations that wait for others, even if passes wait for their copies</source>
        <translation>所有要等待其他计算块的激活，即使计算块要等待其复制</translation>
    </message>
    <message>
        <source>Copies</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Whether copies to the host and back take turns on the link of a device (half), or run at the same time (full).</source>
        <translation>设备的链路上，到主机和返回的复制是轮流进行（half），还是同时进行（full）。</translation>
    </message>
    <message>
        <source>Take turns</source>
        <translation>轮流</translation>
    </message>
    <message>
        <source>One lane a device for both directions</source>
        <translation>每个设备两个方向共用一条通道</translation>
    </message>
    <message>
        <source>Both directions at once</source>
        <translation>双向同时</translation>
    </message>
    <message>
        <source>A lane for each direction</source>
        <translation>每个方向一条通道</translation>
    </message>
    <message>
        <source>Link to the host (GB/s)</source>
        <translation>到主机的链路（GB/s）</translation>
    </message>
    <message>
        <source>Of a device, each way (default: that of the hardware); the copies of a run are no faster.</source>
        <translation>一个设备的链路，每个方向（默认：硬件的值）；运行中的复制不会更快。</translation>
    </message>
    <message>
        <source>the hardware&apos;s</source>
        <translation>硬件的值</translation>
    </message>
    <message>
        <source>Host memory (GiB)</source>
        <translation>主机内存（GiB）</translation>
    </message>
    <message>
        <source>Of a node, such as 512GiB (default: that of the hardware); a plan whose copies need more is refused.</source>
        <translation>一个节点的内存，例如 512GiB（默认：硬件的值）；复制需要更多内存的方案会被拒绝。</translation>
    </message>
    <message>
        <source>is %1, which is no multiple of the %2 replicas that share experts</source>
        <translation>为 %1，不是共享专家的 %2 个副本的倍数</translation>
    </message>
    <message>
        <source>choose the backend cpu, or exchange once a step (zero2 deferred, zero3 resident)</source>
        <translation>请选择后端 cpu，或每步交换一次（zero2 deferred，zero3 resident）</translation>
    </message>
    <message>
        <source>ranks with unequal parts of the tables have unequal shares of the parameters that they sum</source>
        <translation>表的部分不等的 rank，其求和的参数份额也不等</translation>
    </message>
    <message>
        <source>the ranks of this machine offload to %1 of pinned memory, but only %2 are free</source>
        <translation>本机的 rank 卸载到 %1 的锁页内存，但只有 %2 空闲</translation>
    </message>
    <message>
        <source>lower --offload, choose a family that offloads less, or --no-offload-optimizer</source>
        <translation>请降低 --offload，选择卸载较少的调度族，或使用 --no-offload-optimizer</translation>
    </message>
    <message>
        <source>the host refuses %1 of pinned memory for what is offloaded</source>
        <translation>主机拒绝为所卸载的内容分配 %1 的锁页内存</translation>
    </message>
    <message>
        <source>offload less, or raise the memory that the machine or its container lets a process pin</source>
        <translation>请减少卸载，或提高机器或其容器允许进程锁定的内存</translation>
    </message>
    <message>
        <source>is %1, but the checkpoint has what the ranks of another plan have not sent yet</source>
        <translation>为 %1，但检查点中是另一个方案的 rank 尚未发送的部分</translation>
    </message>
    <message>
        <source>keep devices, ranks, stages and the sharding of the vocabulary as they were</source>
        <translation>请保持设备、rank、阶段和词表的切分与原来相同</translation>
    </message>
    <message>
        <source>is %1, but 16 bits on GPUs need a multiple of %2</source>
        <translation>为 %1，但 GPU 上的 16 位需要 %2 的倍数</translation>
    </message>
    <message>
        <source>Fp32, bf16 or fp16, of weights, activations and messages, or fp8: bf16, with the products of layers in 8 bits; processors emulate all but fp32, GPUs only fp8.</source>
        <translation>权重、激活和消息的 fp32、bf16 或 fp16，或 fp8：即 bf16，各层的矩阵乘用 8 位；处理器模拟 fp32 以外的各种，GPU 只模拟 fp8。</translation>
    </message>
    <message>
        <source>NVIDIA GPUs, fp32, bf16 or fp16, or fp8 emulated</source>
        <translation>NVIDIA GPU，fp32、bf16、fp16 或模拟的 fp8</translation>
    </message>
    <message>
        <source>NVIDIA GPUs, fp32, bf16 or fp16, or fp8 emulated: %1</source>
        <translation>NVIDIA GPU，fp32、bf16、fp16 或模拟的 fp8：%1</translation>
    </message>
    <message>
        <source>choose 1, a method that shards the vocabulary, or --vocabulary-sharding device</source>
        <translation>请选择 1、会切分词表的方法，或 --vocabulary-sharding device</translation>
    </message>
    <message>
        <source>choose no, one softmax, or --vocabulary-sharding device</source>
        <translation>请选择“否”、单个 softmax，或 --vocabulary-sharding device</translation>
    </message>
    <message>
        <source>without sequence parallelism no tensor rank has tokens of its own</source>
        <translation>没有序列并行时，没有哪个张量 rank 有自己的词元</translation>
    </message>
    <message>
        <source>choose rank, or --sequence-parallel</source>
        <translation>请选择 rank 或 --sequence-parallel</translation>
    </message>
    <message>
        <source>Vocabulary is divided over</source>
        <translation>词表切分到</translation>
    </message>
    <message>
        <source>With tensor ranks: rank divides the rows of the token tables over them; device lets them divide the tokens instead.</source>
        <translation>有张量 rank 时：rank 把词元表的行切分到它们上；device 则让它们改为划分词元。</translation>
    </message>
    <message>
        <source>All ranks</source>
        <translation>所有 rank</translation>
    </message>
    <message>
        <source>Each rank holds V / (p t) rows</source>
        <translation>每个 rank 持有 V / (p t) 行</translation>
    </message>
    <message>
        <source>Tensor ranks hold the same V / p rows, and divide the tokens</source>
        <translation>张量 rank 持有相同的 V / p 行，并划分词元</translation>
    </message>
    <message>
        <source>passes of vocabulary layers lie between the backward of a microbatch and the forward of the next</source>
        <translation>词表层的计算块位于一个微批次的反向与下一个微批次的前向之间</translation>
    </message>
    <message>
        <source>choose reshard or resident, or a schedule and a method that shard none</source>
        <translation>请选择 reshard 或 resident，或不切分词表的调度和方法</translation>
    </message>
    <message>
        <source>forwards of replicas do not wait for each other, but backwards do, and each replica is simulated alone</source>
        <translation>副本的前向互不等待，但反向要互相等待，而每个副本是单独模拟的</translation>
    </message>
    <message>
        <source>choose deferred, or name devices, which are slow in all replicas</source>
        <translation>请选择 deferred，或指定在所有副本中都慢的设备</translation>
    </message>
    <message>
        <source>Replicas exchange in every pass: each takes as long as in the slowest.</source>
        <translation>副本在每个计算块中都交换：每个计算块的用时与在最慢的副本中相同。</translation>
    </message>
    <message>
        <source>a run with ZeRO in every microbatch does not add the gradients that two devices have of a tied table</source>
        <translation>在每个微批次都用 ZeRO 交换的运行不会把两个设备持有的绑定表的梯度相加</translation>
    </message>
    <message>
        <source>choose no, a method that shards the vocabulary, or exchange once a step (zero2 deferred, zero3 resident)</source>
        <translation>请选择“否”、会切分词表的方法，或每步交换一次（zero2 deferred、zero3 resident）</translation>
    </message>
    <message>
        <source>run a backward before it, or raise memory_limit</source>
        <translation>请在它之前运行一个反向，或提高 memory_limit</translation>
    </message>
    <message>
        <source>raise memory_limit to %1, or look at the levers for what needs less</source>
        <translation>请把 memory_limit 提高到 %1，或在杠杆中查看需要更少内存的选择</translation>
    </message>
</context>
</TS>
